import { Anchor, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { ChatBubble, ChatPaper } from '@doorcode/whatsapp-emulator/phone/bubble.tsx'
import { daysOf } from '@doorcode/whatsapp-emulator/phone/state.ts'
import { ListSheet } from '../cod-settings/list-sheet.tsx'
import { directionOfTexts, tagOf } from '../cod-settings/languages.ts'
import { directionOf } from '../../locales/text.ts'
import { useTexts, translateWord } from '../texts/use-texts.ts'
import { ServerSentence } from '../timeline/timeline.tsx'
import { CLOCK } from '../ui/time/parts.ts'
import { useWorkspace } from '../ui/workspace.ts'
import {
  type BusinessMessage,
  type CustomerMessage,
  type TranscriptEntry,
  businessBubble,
  customerBubble,
  transcriptDirection,
} from './bubbles.ts'
import classes from './transcript.module.css'
import { dateFormat } from '../ui/formats.ts'

/** The conversation as the customer's phone shows it. */
export function Transcript({ transcript }: { transcript: readonly TranscriptEntry[] }) {
  const { t, language } = useTexts()
  const { timeZone } = useWorkspace()
  const day = dateFormat(language, { timeZone, dateStyle: 'long' })
  const time = dateFormat(language, { timeZone, timeStyle: 'short', ...CLOCK })
  return (
    <section data-testid="transcript">
      <Title order={2} size="h4">
        {t('page_confirmations.transcript')}
      </Title>
      <Text c="dimmed" mb="sm">
        {t('page_confirmations.transcript_about')}
      </Text>
      <ChatPaper direction={transcriptDirection(transcript)}>
        {daysOf(transcript, (at) => day.format(at)).map(({ day: date, entries }) => (
          <ol key={date} className={classes['day']}>
            <li className={classes['note']} lang={language} dir={directionOf(language)}>
              {date}
            </li>
            {entries.map((each, index) => (
              <li key={`${each.at} ${index}`}>
                {each.by === 'business' ? (
                  <BusinessBubble message={each} at={time.format(new Date(each.at))} />
                ) : (
                  <CustomerBubble message={each} at={time.format(new Date(each.at))} />
                )}
              </li>
            ))}
          </ol>
        ))}
      </ChatPaper>
    </section>
  )
}

function BusinessBubble({ message, at }: { message: BusinessMessage; at: string }) {
  const texts = useTexts()
  const { t, language } = texts
  const { workspaceId } = useWorkspace()
  return (
    <div className={classes['ours']} lang={tagOf(message.language)}>
      <ChatBubble bubble={businessBubble(message, at, texts)} />
      {message.rows.length > 0 && (
        <ListSheet
          label={t('page_confirmations.list')}
          rows={message.rows}
          direction={directionOfTexts(message.language)}
        />
      )}
      <div className={classes['aside']} lang={language} dir={directionOf(language)}>
        {message.superseded && <div>{t('page_confirmations.not_sent_any_more')}</div>}
        <Anchor
          size="xs"
          c="inherit"
          underline="always"
          renderRoot={(props) => (
            <Link
              {...props}
              to="/w/$workspaceId/messages/$messageId"
              params={{ workspaceId, messageId: message.messageId }}
            />
          )}
        >
          {t('page_confirmations.to_message')}
        </Anchor>
      </div>
    </div>
  )
}

function CustomerBubble({ message, at }: { message: CustomerMessage; at: string }) {
  const texts = useTexts()
  const { t, textOf, language } = texts
  const otherKind = `${t('page_confirmations.kind_received')} ${translateWord(texts, 'page_confirmations.kind', message.kind)}`
  return (
    <>
      <ChatBubble bubble={customerBubble(message, at, { otherKind, textOf })} />
      {message.ignored !== null && (
        <div className={classes['aside']} data-side="customer" lang={language} dir={directionOf(language)}>
          {t('page_confirmations.changed_nothing')} <ServerSentence>{message.ignored}</ServerSentence>
        </div>
      )}
    </>
  )
}
