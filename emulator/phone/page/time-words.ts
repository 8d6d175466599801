import type { DueKind, Happened } from '../due.ts'
import { type Language, type Loose, usePhoneLanguage } from '../words.ts'

const english = {
  timeMachine: 'Time machine',
  now: 'Time of this twin',
  ahead: (span: string) => `ahead of the real time by ${span}`,
  notAhead: 'the real time',
  movedElsewhere:
    'This twin runs inside another program and keeps its time. That program has a time machine beside the same phone, which moves its reminders and deadlines as well.',
  toTimeMachine: 'To the time machine',

  dueInChat: 'What is due in this chat',
  chooseFirst: 'Choose a phone first.',
  nothingInChat: 'Nothing is due in this chat.',
  dueElsewhere: 'What is due elsewhere',
  nothingElsewhere: 'Nothing else is waiting.',
  status: (status: string) => `Status: ${status}`,
  played: 'Played',
  due: {
    arrival: 'The message comes to the phone',
    expiry: 'The time of the message runs out',
    answer: 'The customer answers',
    window: 'End of the 24 hours in which the business may write freely',
    review: 'The review of a template',
    webhook: 'The next attempt at a webhook',
  } satisfies Record<Exclude<DueKind, 'status'>, string>,
  in: (span: string) => `in ${span}`,
  dueNow: 'now',
  others: (count: number) => (count === 1 ? '1 more' : `${count} more`),
  jump: 'Jump',
  jumpTo: (what: string) => `Jump to: ${what}`,

  moveBy: 'Move the clock on by',
  quarter: '15 minutes',
  hour: '1 hour',
  day: '1 day',
  other: 'Another span',
  unit: 'Unit',
  units: { m: 'minutes', h: 'hours', d: 'days' },
  move: 'Move',
  moving: 'The clock moves. Whatever is due on the way really happens, one thing after the other.',
  moved: (span: string) => `The clock was moved by ${span}`,
  hasCome: 'That has come already. The clock stays.',
  onTheWay: 'On the way:',
  happened: {
    statuses: (count: number) => `${count} ${count === 1 ? 'status' : 'statuses'}`,
    answers: (count: number) => `${count} ${count === 1 ? 'answer of a customer' : 'answers of customers'}`,
    expiries: (count: number) => `${count} ${count === 1 ? 'message' : 'messages'} ran out of time`,
    windows: (count: number) => `${count} ${count === 1 ? 'service window' : 'service windows'} ended`,
    reviews: (count: number) => `${count} ${count === 1 ? 'review' : 'reviews'}`,
    webhooks: (count: number) => `${count} ${count === 1 ? 'attempt at a webhook' : 'attempts at webhooks'}`,
  } satisfies Record<keyof Happened, (count: number) => string>,
  nothingHappened: 'nothing was due.',
  stopped: (span: string) =>
    `The wait was over before the clock got there: something takes long, such as a callback that does not answer. ${span} are left.`,
  goOn: 'Go on with the rest',
}
type TimeWords = Loose<typeof english>

const arabic: TimeWords = {
  timeMachine: 'آلة الزمن',
  now: 'وقت هذا التوأم',
  ahead: (span: string) => `متقدم على الوقت الحقيقي بمقدار ${span}`,
  notAhead: 'الوقت الحقيقي',
  movedElsewhere:
    'يعمل هذا التوأم داخل برنامج آخر ويتبع وقته. في ذلك البرنامج آلة زمن بجانب الهاتف نفسه، وهي تحرّك التذكيرات والمهل أيضًا.',
  toTimeMachine: 'إلى آلة الزمن',

  dueInChat: 'ما ينتظر هذه المحادثة',
  chooseFirst: 'اختر هاتفًا أولًا.',
  nothingInChat: 'لا شيء ينتظر هذه المحادثة.',
  dueElsewhere: 'ما ينتظر في غيرها',
  nothingElsewhere: 'لا شيء آخر ينتظر.',
  status: (status: string) => `الحالة: ${status}`,
  played: 'شُغّلت',
  due: {
    arrival: 'تصل الرسالة إلى الهاتف',
    expiry: 'تنتهي مدة الرسالة',
    answer: 'يجيب العميل',
    window: 'نهاية الساعات الأربع والعشرين التي يكتب فيها النشاط بحرية',
    review: 'مراجعة قالب',
    webhook: 'المحاولة التالية لإشعار',
  },
  in: (span: string) => `بعد ${span}`,
  dueNow: 'الآن',
  others: (count: number) => `وغيرها: ${count}`,
  jump: 'اقفز',
  jumpTo: (what: string) => `اقفز إلى: ${what}`,

  moveBy: 'قدّم الساعة بمقدار',
  quarter: '15 دقيقة',
  hour: 'ساعة',
  day: 'يوم',
  other: 'مدة أخرى',
  unit: 'الوحدة',
  units: { m: 'دقائق', h: 'ساعات', d: 'أيام' },
  move: 'قدّم',
  moving: 'الساعة تتحرك. كل ما يحين موعده في الطريق يحدث فعلًا، واحدًا بعد الآخر.',
  moved: (span: string) => `قُدّمت الساعة بمقدار ${span}`,
  hasCome: 'لقد حان ذلك بالفعل، والساعة باقية كما هي.',
  onTheWay: 'في الطريق:',
  happened: {
    statuses: (count: number) => `حالات: ${count}`,
    answers: (count: number) => `أجوبة العملاء: ${count}`,
    expiries: (count: number) => `رسائل انتهت مدتها: ${count}`,
    windows: (count: number) => `نوافذ خدمة انتهت: ${count}`,
    reviews: (count: number) => `مراجعات: ${count}`,
    webhooks: (count: number) => `محاولات الإشعار: ${count}`,
  },
  nothingHappened: 'لم يحن موعد شيء.',
  stopped: (span: string) =>
    `انتهى الانتظار قبل أن تصل الساعة: هناك ما يستغرق وقتًا طويلًا، كعنوان لا يجيب. الباقي: ${span}.`,
  goOn: 'أكمل الباقي',
}

const TIME_WORDS: Readonly<Record<Language, TimeWords>> = { en: english, ar: arabic }

export const useTimeWords = (): TimeWords => TIME_WORDS[usePhoneLanguage()]
