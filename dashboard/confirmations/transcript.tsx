import { type Bubble, ChatBubble, ChatPaper } from '@doorcode/whatsapp-emulator/phone/bubble.tsx'
import { daysOf } from '@doorcode/whatsapp-emulator/phone/state.ts'
import { Text, Title } from '@mantine/core'
import { type Translator, textAsWritten } from '../../locales/text.ts'
import type { RouterOutputs } from '../api.ts'
import { ListSheet } from '../cod-settings/preview.tsx'
import { CLOCK, dateFormat } from '../texts/formats.ts'
import { directionOfTexts, tagOf } from '../texts/language.ts'
import { translateWord, useTexts } from '../texts/use-texts.ts'
import { ServerSentence } from '../timeline/timeline.tsx'
import { AnchorLink } from '../ui/link.tsx'
import { useWorkspace } from '../ui/workspace.ts'
import classes from './transcript.module.css'

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
      <ChatPaper>
        {daysOf(transcript, (at) => day.format(at)).map(({ day: date, entries }) => (
          <ol key={date} className={classes['day']}>
            <li className={classes['note']} lang={language}>
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
  return (
    <div className={classes['ours']} lang={tagOf(message.language)}>
      <ChatBubble bubble={businessBubble(message, at, texts)} />
      {message.rows.length > 0 && <ListSheet label={t('page_confirmations.list')} rows={message.rows} />}
      <div className={classes['aside']} lang={language}>
        {message.superseded && <div>{t('page_confirmations.not_sent_any_more')}</div>}
        <AnchorLink
          size="xs"
          c="inherit"
          underline="always"
          to="/w/$workspaceId/messages/$messageId"
          params={{ messageId: message.messageId }}
        >
          {t('page_confirmations.to_message')}
        </AnchorLink>
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
        <div className={classes['aside']} data-side="customer" lang={language}>
          {t('page_confirmations.changed_nothing')} <ServerSentence>{message.ignored}</ServerSentence>
        </div>
      )}
    </>
  )
}

type TranscriptEntry = RouterOutputs['confirmations']['get']['transcript'][number]
type BusinessMessage = Extract<TranscriptEntry, { by: 'business' }>
type CustomerMessage = Extract<TranscriptEntry, { by: 'customer' }>

const TICKS = {
  accepted: 'accepted',
  received: 'accepted',
  queued: 'accepted',
  sending: 'accepted',
  sent: 'sent',
  delivered: 'delivered',
  read: 'read',
  played: 'read',
  failed: 'failed',
} as const satisfies Record<BusinessMessage['status'], NonNullable<Bubble['ticks']>>

type MessageContent = Pick<BusinessMessage, 'header' | 'body' | 'footer' | 'buttons' | 'status'> & {
  language: string | null
}

/** A message of ours as the phone shows it. `at` is the displayed time. */
export function businessBubble(message: MessageContent, at: string, { textOf }: Pick<Translator, 'textOf'>): Bubble {
  const { header, body, footer, buttons, language, status } = message
  return {
    side: 'business',
    ...(header !== null && { header }),
    body: textAsWritten(body) ?? textOf(body),
    ...(footer !== null && { footer }),
    buttons,
    at,
    ticks: TICKS[status],
    ...(language !== null && { direction: directionOfTexts(language) }),
  }
}

/** Content that is not text is shown by its kind. */
const customerBubble = (
  { text, quotes }: CustomerMessage,
  at: string,
  { otherKind, textOf }: { otherKind: string } & Pick<Translator, 'textOf'>,
): Bubble => ({
  side: 'customer',
  body: text ?? otherKind,
  at,
  ...(quotes !== null && { quoted: textAsWritten(quotes) ?? textOf(quotes) }),
})
