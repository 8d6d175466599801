import { Anchor, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { ChatBubble, ChatPaper } from '../../emulator/phone/bubble.tsx'
import { ListSheet } from '../cod-settings/list-sheet.tsx'
import { directionOfTexts, tagOf } from '../cod-settings/languages.ts'
import { wordIn } from '../templates/status.tsx'
import { ServerSentence } from '../timeline/timeline.tsx'
import { CLOCK } from '../ui/time-parts.ts'
import { ZoneCaption } from '../ui/time.tsx'
import { useWorkspace } from '../ui/workspace.ts'
import { directionOf, useLanguage, useWords } from '../words.ts'
import {
  type BusinessSaid,
  type CustomerSaid,
  type Said,
  businessBubble,
  byDay,
  customerBubble,
  directionOfTalk,
} from './talk.ts'
import classes from './transcript.module.css'
import { confirmationWords, kindWords } from './words.ts'

/** Both sides of the talk, as the customer's phone shows them. */
export function Transcript({ transcript }: { transcript: readonly Said[] }) {
  const text = useWords(confirmationWords)
  const { timeZone } = useWorkspace()
  const { language } = useLanguage()
  const day = new Intl.DateTimeFormat(`${language}-u-nu-latn`, { timeZone, dateStyle: 'long' })
  const time = new Intl.DateTimeFormat(`${language}-u-nu-latn`, { timeZone, timeStyle: 'short', ...CLOCK })
  return (
    <section data-testid="transcript">
      <Title order={2} size="h4">
        {text.transcript}
      </Title>
      <ZoneCaption mb="sm">{text.transcriptAbout}</ZoneCaption>
      <ChatPaper direction={directionOfTalk(transcript)}>
        {byDay(transcript, (at) => day.format(at)).map(({ day: date, said }) => (
          <ol key={date} className={classes['day']}>
            <li className={classes['note']} lang={language} dir={directionOf(language)}>
              {date}
            </li>
            {said.map((each, index) => (
              <li key={`${each.at} ${index}`}>
                {each.by === 'business' ? (
                  <Ours said={each} at={time.format(new Date(each.at))} />
                ) : (
                  <Theirs said={each} at={time.format(new Date(each.at))} />
                )}
              </li>
            ))}
          </ol>
        ))}
      </ChatPaper>
    </section>
  )
}

function Ours({ said, at }: { said: BusinessSaid; at: string }) {
  const text = useWords(confirmationWords)
  const { language } = useLanguage()
  const { workspaceId } = useWorkspace()
  return (
    <div className={classes['ours']} lang={tagOf(said.language)}>
      <ChatBubble bubble={businessBubble(said, at)} />
      {said.rows.length > 0 && (
        <ListSheet label={text.list} rows={said.rows} direction={directionOfTexts(said.language)} />
      )}
      <div className={classes['aside']} lang={language} dir={directionOf(language)}>
        {said.overtaken && <div>{text.notSentAnyMore}</div>}
        <Anchor
          size="xs"
          c="inherit"
          underline="always"
          renderRoot={(props) => (
            <Link
              {...props}
              to="/w/$workspaceId/messages/$messageId"
              params={{ workspaceId, messageId: said.messageId }}
            />
          )}
        >
          {text.toMessage}
        </Anchor>
      </div>
    </div>
  )
}

function Theirs({ said, at }: { said: CustomerSaid; at: string }) {
  const text = useWords(confirmationWords)
  const kinds = useWords(kindWords)
  const { language } = useLanguage()
  return (
    <>
      <ChatBubble bubble={customerBubble(said, at, `${text.kindReceived} ${wordIn(kinds, said.kind)}`)} />
      {said.ignored !== null && (
        <div className={classes['aside']} data-side="customer" lang={language} dir={directionOf(language)}>
          {text.changedNothing} <ServerSentence>{said.ignored}</ServerSentence>
        </div>
      )}
    </>
  )
}
