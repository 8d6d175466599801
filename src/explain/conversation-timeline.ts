import { KINDS } from '../cod/ignored.ts'
import { readReply } from '../cod/replies.ts'
import type { Check } from '../messages/conversation.ts'
import type { InboundMessage } from '../providers/provider.ts'
import { type Language, NOTHING_SAID, type Sentence, asWritten, joined, quoted, sentences } from '../sentences.ts'
import type {
  AnswerFact,
  ConfirmationFact,
  ConversationFacts,
  HeardFact,
  RefusalFact,
  SpokenFact,
} from './conversation-facts.ts'
import {
  COMMA,
  type Line,
  againOf,
  attemptEntry,
  fateOf,
  inOrder,
  openAttemptEntry,
  quotaEntry,
  reportEntry,
  webhookEntries,
} from './entries.ts'
import type { ProviderReader } from './facts.ts'
import { onOneLine, shownText } from './shown-text.ts'
import { isOvertaken } from './transcript.ts'

/** A confirmation's story: requests, both sides of the talk, answers, events and webhooks, and what it waits for. */
export function conversationTimeline(facts: ConversationFacts, provider: ProviderReader): Line[] {
  const { confirmation, refusal, messages, attempts, reports, heard, answers: given } = facts
  const names = new Map(messages.map((message) => [message.id, says.of({ message: nameOf(message) })]))
  const ofMessage = (id: string | null): Sentence => (id === null ? NOTHING_SAID : (names.get(id) ?? NOTHING_SAID))
  return inOrder([
    requestEntry(confirmation),
    quotaEntry(confirmation),
    ...(refusal ? [refusalEntry(refusal), quotaEntry(refusal)] : []),
    // What the customer did comes before what it brought about within the same millisecond.
    ...heard.map((report) => heardEntry(report, facts, provider)),
    ...given.map(answerEntry),
    ...messages.map(messageEntry),
    ...attempts.map((attempt) => attemptEntry(attempt, ofMessage(attempt.messageId))),
    ...messages.flatMap((each) =>
      each.attemptedAt ? [openAttemptEntry(each, each.attemptedAt, ofMessage(each.id))] : [],
    ),
    ...reports.map((report) => reportEntry(report, provider, ofMessage(report.messageId))),
    ...webhookEntries(facts),
    ...timerEntries('confirmation', confirmation),
    ...(refusal ? timerEntries('refusal', refusal) : []),
  ])
}

function requestEntry(confirmation: ConfirmationFact): Line {
  const { createdAt, reference, recipient, senderPhone, templateName, templateLanguage, apiKeyId, correlationId } =
    confirmation
  const template = { templateName, templateLanguage }
  return {
    at: createdAt.toISOString(),
    what: 'request',
    detail: says.request({ reference, recipient, senderPhone, ...template, apiKeyId, correlationId }),
    to: recipient,
    apiKey: apiKeyId,
    correlationId,
    reference,
  }
}

function refusalEntry({ createdAt, templateName, templateLanguage, apiKeyId, correlationId }: RefusalFact): Line {
  return {
    at: createdAt.toISOString(),
    what: 'request',
    detail: says.refusalRequest({ templateName, templateLanguage, apiKeyId, correlationId }),
    apiKey: apiKeyId,
    correlationId,
  }
}

function nameOf({ check, purpose }: Pick<SpokenFact, 'check' | 'purpose'>): Sentence {
  switch (purpose) {
    case 'template':
      return check === 'refusal' ? names.refusalQuestion : names.confirmationQuestion
    case 'reminder':
      return check === 'refusal' ? names.refusalReminder : names.confirmationReminder
    case 'closing':
      return check === 'refusal' ? names.refusalClosing : names.confirmationClosing
    case 'day_question':
    case 'time_question':
    case 'reasons_question':
    case 'note_prompt':
      return names[purpose]
  }
}

export function messageEntry(message: SpokenFact): Line {
  const shownIn = (language: Language) => shownText(message.content, message.components, language)
  const { text, choices } = shownIn('en')
  return {
    at: message.createdAt.toISOString(),
    what: 'message',
    detail: says.message({
      name: nameOf(message),
      text: { en: text, ar: asWritten(shownIn('ar').text).ar },
      tappable: choices.length > 0 ? says.tappable({ choices: joined(choices.map(quoted), OR) }) : NOTHING_SAID,
      overtaken: isOvertaken(message) ? says.overtaken : NOTHING_SAID,
    }),
    messageId: message.id,
    check: message.check,
    purpose: message.purpose,
    text,
    choices,
    offered: message.offered,
    status: message.status,
  }
}

const OR: Sentence = { en: ' | ', ar: ' | ' }

/** What the customer did, and what became of it. */
function heardEntry(report: HeardFact, facts: ConversationFacts, provider: ProviderReader): Line {
  const inbound = provider.readInbound(report.body)
  const status = { outcome: report.outcome, note: report.note }
  return {
    at: report.receivedAt.toISOString(),
    what: 'customer',
    detail: says.heard({
      deed: inbound ? deedOf(inbound, facts) : deeds.unreadable,
      fate: fateOf(status),
      again: againOf(report.repeats),
    }),
    writtenAt: report.writtenAt.toISOString(),
    ...(inbound?.says.type === 'text' ? { text: inbound.says.text } : {}),
    ...status,
    repeats: report.repeats,
  }
}

function deedOf({ says: said, quotes }: InboundMessage, facts: ConversationFacts): Sentence {
  switch (said.type) {
    case 'text': {
      const answered = facts.messages.find(({ providerMessageId }) => quotes !== null && providerMessageId === quotes)
      const text = onOneLine(said.text)
      return answered ? deeds.quotes({ text, message: nameOf(answered) }) : deeds.writes({ text })
    }
    case 'other':
      return deeds.sends({ kind: said.kind })
    case 'tap':
      return tapOf(said.payload, facts)
  }
}

/** By the payload alone, as it counts; the label is what the button shows. */
function tapOf(payload: string, { confirmation, messages }: ConversationFacts): Sentence {
  const reply = readReply(payload)
  if (reply.to === 'nothing') return reply.because === 'version' ? deeds.tapsOtherRelease : deeds.tapsForeign
  if (reply.to === 'question') {
    const asked = messages.find(({ id }) => id === reply.questionId)
    if (!asked) return deeds.choosesForeign
    const meaning = asked.offered?.[reply.index]
    const label = shownText(asked.content, null, 'en').choices[reply.index] ?? meaning
    const choice = { label: String(label), question: nameOf(asked) }
    return meaning === label ? deeds.chooses(choice) : deeds.choosesMeaning({ ...choice, meaning: String(meaning) })
  }
  if (reply.confirmationId !== confirmation.id) return deeds.tapsOtherConfirmation
  const question = nameOf({ check: reply.to, purpose: 'template' })
  return deeds.taps({ answer: reply.answer.replace('_', ' '), question })
}

/** Told behind the message that gave it: its own time is when the customer wrote, and that may be heard of late. */
function answerEntry({ check, answer, detail, answeredAt, receivedAt }: AnswerFact): Line {
  const given = check === 'confirmation' ? chosenIn(detail) : [detail.reason, detail.note].flatMap(quotedIf)
  return {
    at: (receivedAt ?? answeredAt).toISOString(),
    what: 'answer',
    detail: says.answer({
      check: checks[check],
      answer: answers[answer] ?? asWritten(answer),
      given: given.length > 0 ? says.given({ values: joined(given, COMMA) }) : NOTHING_SAID,
    }),
    check,
    answer,
    answeredAt: answeredAt.toISOString(),
    ...detail,
  }
}

const chosenIn = ({ reschedule }: AnswerFact['detail']): Sentence[] =>
  Object.entries(reschedule ?? {}).flatMap(([what, value]) =>
    what === 'date' && value !== null ? [asWritten(value)] : quotedIf(value),
  )

const quotedIf = (words: string | null | undefined): Sentence[] => (words == null ? [] : [quoted(words)])

function timerEntries(
  check: Check,
  timers: Pick<ConfirmationFact, 'reminderAt' | 'deadlineAt' | 'followUpAt'>,
): Line[] {
  const armed = [
    [timers.reminderAt, rings.reminder],
    [timers.deadlineAt, rings.deadline],
    [timers.followUpAt, rings.followUp],
  ] as const
  return armed.flatMap(([at, what]): Line[] =>
    at ? [{ at: at.toISOString(), what: 'timer', detail: says.armed({ what, check: checks[check] }) }] : [],
  )
}

const names = sentences({
  confirmationQuestion: { en: 'confirmation’s question', ar: 'سؤال التأكيد' },
  confirmationReminder: { en: 'confirmation’s reminder', ar: 'تذكير التأكيد' },
  confirmationClosing: { en: 'confirmation’s closing message', ar: 'رسالة ختام التأكيد' },
  refusalQuestion: { en: 'refusal check’s question', ar: 'سؤال التحقق من الرفض' },
  refusalReminder: { en: 'refusal check’s reminder', ar: 'تذكير التحقق من الرفض' },
  refusalClosing: { en: 'refusal check’s closing message', ar: 'رسالة ختام التحقق من الرفض' },
  day_question: { en: 'day question', ar: 'السؤال عن اليوم' },
  time_question: { en: 'time question', ar: 'السؤال عن الوقت' },
  reasons_question: { en: 'list of reasons', ar: 'قائمة الأسباب' },
  note_prompt: { en: 'note prompt', ar: 'طلب الملاحظة' },
})

const checks = sentences({
  confirmation: { en: 'confirmation', ar: 'التأكيد' },
  refusal: { en: 'refusal check', ar: 'التحقق من الرفض' },
})

const deeds = sentences({
  unreadable: { en: 'sends something that this release cannot read', ar: 'يرسل ما لا يستطيع هذا الإصدار قراءته' },
  writes: { en: 'writes “{text}”', ar: 'يكتب: «{text}»' },
  quotes: { en: 'writes “{text}”, quoting the {message}', ar: 'يكتب: «{text}»، مقتبسًا {message}' },
  sends: {
    en: 'sends a message of the type "{kind}"',
    ar: 'يرسل رسالة من نوع {kind}',
    words: { kind: KINDS },
  },
  tapsOtherRelease: { en: 'taps a button of another release', ar: 'يضغط زرًا أرسله إصدار آخر' },
  tapsForeign: { en: 'taps a button that is none of ours', ar: 'يضغط زرًا ليس من أزرارنا' },
  tapsOtherConfirmation: { en: 'taps a button of another confirmation', ar: 'يضغط زرًا يخص تأكيدًا آخر' },
  taps: {
    en: 'taps “{answer}” of the {question}',
    ar: 'يضغط «{answer}» في {question}',
    words: {
      answer: { confirm: 'تأكيد', cancel: 'إلغاء', 'change time': 'تغيير الموعد', yes: 'نعم', no: 'لا' },
    },
  },
  choosesForeign: {
    en: 'chooses from a question that is not of this confirmation',
    ar: 'يختار من سؤال لا يخص هذا التأكيد',
  },
  chooses: { en: 'chooses “{label}” of the {question}', ar: 'يختار «{label}» من {question}' },
  choosesMeaning: {
    en: 'chooses “{label}” of the {question}: {meaning}',
    ar: 'يختار «{label}» من {question}: {meaning}',
  },
})

const answers: Readonly<Record<string, Sentence>> = sentences({
  confirmed: { en: 'confirmed', ar: 'يؤكد الطلب' },
  cancelled: { en: 'cancelled', ar: 'يلغي الطلب' },
  reschedule_started: { en: 'wants another time', ar: 'يريد وقتًا آخر' },
  day_chosen: { en: 'a day is chosen', ar: 'اختير يوم' },
  range_chosen: { en: 'a time range is chosen', ar: 'اختير وقت' },
  rescheduled: { en: 'rescheduled', ar: 'اكتمل الموعد الجديد' },
  refused: { en: 'says that the parcel was refused', ar: 'يقول إن الطرد رُفض' },
  denied: { en: 'says that nothing was refused', ar: 'يقول إنه لم يُرفض شيء' },
  other_chosen: { en: 'another reason, to be told', ar: 'سبب آخر سيذكره' },
  refusal_confirmed: { en: 'the refusal is confirmed', ar: 'تأكّد الرفض' },
})

const rings = sentences({
  reminder: { en: 'the reminder is sent', ar: 'يُرسل التذكير' },
  deadline: { en: 'it ends without an answer', ar: 'ينتهي بلا جواب' },
  followUp: {
    en: 'the follow-up ends with what was chosen by then',
    ar: 'تنتهي المتابعة بما اختير حتى ذلك الحين',
  },
})

const says = sentences({
  of: { en: ' of the {message}', ar: ' بخصوص {message}' },
  request: {
    en: 'confirmation of {reference} accepted for {recipient}, from {senderPhone} with {templateName} ({templateLanguage}); key {apiKeyId}, correlation id {correlationId}',
    ar: 'قُبِل طلب تأكيد {reference} للمستلم {recipient}، من الرقم {senderPhone} بالقالب {templateName} ({templateLanguage})؛ المفتاح {apiKeyId}، معرّف الربط {correlationId}',
  },
  refusalRequest: {
    en: 'refusal check accepted with {templateName} ({templateLanguage}); key {apiKeyId}, correlation id {correlationId}',
    ar: 'قُبِل طلب التحقق من الرفض بالقالب {templateName} ({templateLanguage})؛ المفتاح {apiKeyId}، معرّف الربط {correlationId}',
  },
  message: { en: 'the {name}: “{text}”{tappable}{overtaken}', ar: 'نص {name}: «{text}»{tappable}{overtaken}' },
  tappable: { en: ' [{choices}]', ar: ' [{choices}]' },
  overtaken: {
    en: '; it waited until the conversation had moved on, and is not sent any more',
    ar: '؛ انتظرت حتى تجاوزتها المحادثة، ولن تُرسل',
  },
  heard: { en: '{deed}{fate}{again}', ar: '{deed}{fate}{again}' },
  answer: { en: '{check}: {answer}{given}', ar: '{check}: {answer}{given}' },
  given: { en: ' ({values})', ar: ' ({values})' },
  armed: { en: 'armed for this time: {what} ({check})', ar: 'مضبوط على هذا الوقت: {what} ({check})' },
})
