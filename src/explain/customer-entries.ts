import { kindText } from '../cod/conversation/kinds.ts'
import { decodeReply } from '../cod/conversation/replies.ts'
import type { InboundMessage } from '../providers/provider.ts'
import { type CodedText, dateText, plainText, quoted } from '../../locales/text.ts'
import { displayedText, onOneLine } from './displayed.ts'
import { type TimelineEntry, entry, reportOutcomeText, messageName, repeatsText } from './entry.ts'
import type { AnswerFact } from './rows.ts'
import { answeredMessage } from './transcript.ts'
import { type Facts, type ProviderReader, type ReportFact, conversationMessages } from './facts.ts'

/** What the customer did, and what it changed. */
export function inboundEntry(report: ReportFact, facts: Facts, provider: ProviderReader): TimelineEntry {
  const { outcome, note, repeats, writtenAt } = report
  const inbound = provider.readInbound(report.body)
  const action: CodedText = inbound
    ? actionOf(inbound, facts)
    : { code: report.body === '' ? 'explain.customer_content_removed' : 'explain.customer_content_unreadable' }
  const text = inbound?.says.type === 'text' ? { text: inbound.says.text } : {}
  return entry(
    report.receivedAt,
    'customer',
    { code: 'explain.customer_message', action, reportOutcome: reportOutcomeText(report), again: repeatsText(repeats) },
    { writtenAt: writtenAt.toISOString(), ...text, outcome, note, repeats },
  )
}

function actionOf(inbound: InboundMessage, facts: Facts): CodedText {
  const { says } = inbound
  switch (says.type) {
    case 'text': {
      const answered = answeredMessage(inbound, facts)
      const text = onOneLine(says.text)
      return answered
        ? { code: 'explain.customer_quotes', text, message: messageName(answered) }
        : { code: 'explain.customer_writes', text }
    }
    case 'other':
      return { code: 'explain.customer_sends', kind: kindText(says.kind) }
    case 'tap':
      return tapOf(says.payload, facts)
  }
}

/** Only the payload decides what a tap means; the label is what the button shows. */
function tapOf(payload: string, facts: Facts): CodedText {
  const reply = decodeReply(payload)
  if (reply.to === 'nothing')
    return reply.because === 'version'
      ? { code: 'explain.customer_taps_other_release' }
      : { code: 'explain.customer_taps_foreign' }
  if (reply.to === 'question') {
    const question = conversationMessages(facts).find(({ id }) => id === reply.questionId)
    if (!question) return { code: 'explain.customer_chooses_foreign' }
    const meaning = question.offered?.[reply.index]
    const label = displayedText(question.content, null).choices[reply.index] ?? meaning
    const choice = { label: String(label), question: messageName(question) }
    return meaning === label
      ? { code: 'explain.customer_chooses', ...choice }
      : {
          code: 'explain.customer_chooses_meaning',
          ...choice,
          meaning: question.purpose === 'day_question' ? dateText(String(meaning)) : String(meaning),
        }
  }
  if (reply.confirmationId !== facts.confirmation?.id) return { code: 'explain.customer_taps_other_confirmation' }
  const question = messageName({ check: reply.to, purpose: 'template' })
  return { code: 'explain.customer_taps', answer: plainText(`explain.tap_${reply.answer}`), question }
}

/** The entry has the time at which we received the answer, which may be long after the customer wrote it. */
export function answerEntry({ check, answer, detail, answeredAt, receivedAt, superseded }: AnswerFact): TimelineEntry {
  const values = check === 'confirmation' ? chosenIn(detail) : [detail.reason, detail.note].flatMap(quotedIf)
  return entry(
    receivedAt ?? answeredAt,
    'answer',
    {
      code: 'explain.answered',
      answer: plainText(`explain.answer_${answer}`),
      given: values.length > 0 ? { code: 'explain.given', values } : '',
      superseded: superseded ? { code: 'explain.superseded' } : '',
    },
    { check, answer, answeredAt: answeredAt.toISOString(), superseded, ...detail },
  )
}

const chosenIn = ({ reschedule }: AnswerFact['detail']): CodedText[] =>
  Object.entries(reschedule ?? {}).flatMap(([what, value]) =>
    what === 'date' && value !== null ? [dateText(value)] : quotedIf(value),
  )

const quotedIf = (words: string | null | undefined): CodedText[] => (words == null ? [] : [quoted(words)])
