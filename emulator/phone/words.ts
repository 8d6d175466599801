import { createContext, useContext } from 'react'
import type { Ticks } from './chats.ts'
import type { CustomerName, FateName } from './suggestions.ts'

export const LANGUAGES = ['en', 'ar'] as const
export type Language = (typeof LANGUAGES)[number]

const english = {
  quoted: 'In reply to: ',
  ticks: {
    accepted: 'Not sent yet',
    sent: 'Sent',
    delivered: 'Delivered',
    read: 'Read',
    failed: 'Failed',
  } satisfies Record<Ticks, string>,

  phones: 'Phones',
  search: 'Search the chats',
  nothingFound: 'No phone and no message has that.',
  noChats: 'No phone has got a message yet. Send something, or begin with a new customer who writes first.',
  noChatsShort: 'No phone has got a message yet.',
  chooseChat: 'Choose a phone, and see what its owner sees.',
  connecting: 'Connecting …',
  lostConnection: 'The connection is lost. What you see may be old; trying again …',
  unread: (count: number) => (count === 1 ? '1 unread message' : `${count} unread messages`),
  you: 'Customer: ',
  nothingYet: 'Nothing yet',
  isOff: 'off',
  isBlocking: 'blocking',

  newCustomer: 'New customer',
  newCustomerAbout: 'Any number will do: no message here reaches a real phone.',
  phoneNumber: 'Phone number',
  phoneNumberHint: 'With + and the country code',
  noPhoneNumber: 'Write it with + and the country code: 8 to 15 digits, such as +34600111222.',
  business: 'Talks with',
  openPhone: 'Open the phone',
  customersTitle: 'Customers who answer by themselves',
  customersAbout: 'The last four digits decide. Pick one, then send it a message.',
  fatesTitle: 'Numbers to which something happens',
  customers: {
    confirms: 'Confirms after 3 seconds',
    cancels: 'Cancels',
    reschedules: 'Changes day and time by tapping',
    reschedules_in_words: 'Asks for another time, then types it',
    stops_halfway: 'Asks for another time and never goes on',
    never_answers: 'Reads and never answers',
    confirms_then_cancels: 'Confirms, and cancels 30 seconds later',
    answers_twice: 'Taps twice, and the first tap is told twice',
    refuses: 'Confirms; later says that the parcel was refused, and why',
    refuses_in_words: 'Confirms; later says why the parcel was refused in words',
    denies: 'Confirms late; later denies that the parcel was refused',
    hides_the_number: 'Confirms, with a hidden number',
  } satisfies Record<CustomerName, string>,
  fates: {
    not_on_whatsapp: 'Not on WhatsApp: fails with 131026',
    held_back: 'Held back by Meta: fails with 131049',
    pair_limit: 'Too many to one customer: refused with 131056',
    throughput_limit: 'Too many at once: refused with 130429',
    provider_fault: 'WhatsApp has a fault: HTTP 500',
    provider_page: 'WhatsApp has a fault: HTTP 502 with a page',
    slow: 'Taken, but the answer takes 8 seconds',
    dropped: 'The connection breaks, nothing is taken',
    dropped_but_taken: 'The connection breaks, the message is taken',
    never_delivered: 'Sent, never delivered',
    never_read: 'Delivered, never read',
    delivered_skipped: 'Read without delivered',
    disordered: 'Every status twice, in the wrong order',
    fails_later: 'Sent, then fails with 131026',
    username: 'Has a username instead of a number',
  } satisfies Record<FateName, string>,

  back: 'Back to the phones',
  phoneOf: (phone: string) => `The phone of ${phone}`,
  chatWith: (name: string) => `Chat with ${name}`,
  online: 'online',
  off: 'The phone is off',
  menu: 'What the customer can do',
  turnOff: 'Turn the phone off',
  turnOn: 'Turn the phone on',
  block: 'Block this business',
  unblock: 'Unblock this business',
  hideRead: 'Hide what was read',
  showRead: 'Show what was read',
  readHidden: 'The business does not learn what is read.',
  offBanner: 'The phone is off: messages stay at one tick until it is on again.',
  blockedBanner: 'This business is blocked: what it sends never comes.',
  today: 'Today',
  waiting: 'Not on the phone yet',
  lost: {
    expired: 'Never comes: its time ran out',
    blocked: 'Never comes: the customer had blocked the business',
    failed: 'Never comes: it failed',
  },
  emptyChat: 'Nothing was said yet. Send a message to this number, or write the first one as the customer.',
  reply: 'Reply to this message',
  replyingTo: 'Replying to',
  noReply: 'Reply to nothing',
  type: 'Type as the customer',
  send: 'Send',
  sendChoice: 'Send the choice',
  close: 'Close',
  copied: (code: string) => `${code} is copied.`,
  notCopied: (code: string) => `The browser let nothing be copied. The code is ${code}.`,
  goesNowhere: 'The phone shows links and numbers and goes nowhere.',
  newMessage: (text: string) => `New message: ${text}`,
  didNotWork: 'That did not work.',
  noTwin: 'The twin did not answer. Is it running?',
  latest: 'To the latest message',

  posts: 'Webhooks as they leave',
  postsAbout: 'What the twin tells your callback, the newest first.',
  noPosts: 'No webhook has left yet. They go to the callback URL that the twin was started with.',
  postState: { waiting: 'on its way', answered: 'answered', lost: 'lost' },
  tries: (count: number) => `attempt ${count}`,
  bodyGone: 'The body is no longer kept.',
  twinTitle: 'The phone of the WhatsApp twin',
  twinAbout: 'Nothing that is sent here reaches a real phone.',
  tryIt: 'Send your first message',
  tryItAbout: 'Paste this into a terminal, and the code appears on a phone here.',
  copy: 'Copy',
  language: 'العربية',
}
export type PhoneWords = Loose<typeof english>

/** Arabic must have exactly the keys of English. */
export type Loose<Table> = {
  readonly [Key in keyof Table]: Table[Key] extends string
    ? string
    : Table[Key] extends (...given: never[]) => unknown
      ? Table[Key]
      : Loose<Table[Key]>
}

const arabic: PhoneWords = {
  quoted: 'ردًا على: ',
  ticks: {
    accepted: 'لم تُرسل بعد',
    sent: 'أُرسلت',
    delivered: 'وصلت',
    read: 'قُرئت',
    failed: 'تعذّر إرسالها',
  },

  phones: 'الهواتف',
  search: 'ابحث في المحادثات',
  nothingFound: 'لا يوجد ذلك في أي هاتف أو رسالة.',
  noChats: 'لم تصل أي رسالة إلى أي هاتف بعد. أرسل شيئًا، أو ابدأ بعميل جديد يكتب أولًا.',
  noChatsShort: 'لم تصل أي رسالة إلى أي هاتف بعد.',
  chooseChat: 'اختر هاتفًا لترى ما يراه صاحبه.',
  connecting: 'جارٍ الاتصال …',
  lostConnection: 'انقطع الاتصال. قد يكون ما تراه قديمًا، والمحاولة مستمرة …',
  unread: (count: number) => `رسائل غير مقروءة: ${count}`,
  you: 'العميل: ',
  nothingYet: 'لا شيء بعد',
  isOff: 'مغلق',
  isBlocking: 'حظر النشاط',

  newCustomer: 'عميل جديد',
  newCustomerAbout: 'أي رقم يصلح، فلا تصل أي رسالة من هنا إلى هاتف حقيقي.',
  phoneNumber: 'رقم الهاتف',
  phoneNumberHint: 'مع علامة + ورمز البلد',
  noPhoneNumber: 'اكتبه مع علامة + ورمز البلد، من 8 إلى 15 رقمًا، مثل +34600111222.',
  business: 'يتحدث مع',
  openPhone: 'افتح الهاتف',
  customersTitle: 'عملاء يجيبون من تلقاء أنفسهم',
  customersAbout: 'آخر أربعة أرقام هي التي تقرر. اختر واحدًا ثم أرسل إليه رسالة.',
  fatesTitle: 'أرقام يحدث لها شيء',
  customers: {
    confirms: 'يؤكد بعد 3 ثوانٍ',
    cancels: 'يلغي',
    reschedules: 'يغيّر اليوم والوقت بالضغط',
    reschedules_in_words: 'يطلب وقتًا آخر ثم يكتبه',
    stops_halfway: 'يطلب وقتًا آخر ولا يكمل',
    never_answers: 'يقرأ ولا يجيب أبدًا',
    confirms_then_cancels: 'يؤكد، ثم يلغي بعد 30 ثانية',
    answers_twice: 'يضغط مرتين، ويُبلَّغ عن الأولى مرتين',
    refuses: 'يؤكد، ثم يقول لاحقًا إنه رفض الطرد ولماذا',
    refuses_in_words: 'يؤكد، ثم يكتب لاحقًا سبب رفض الطرد بكلماته',
    denies: 'يؤكد متأخرًا، ثم ينفي لاحقًا رفض الطرد',
    hides_the_number: 'يؤكد ورقمه مخفي',
  },
  fates: {
    not_on_whatsapp: 'ليس على واتساب: يفشل بالرمز 131026',
    held_back: 'تحجبها Meta: تفشل بالرمز 131049',
    pair_limit: 'كثيرة على عميل واحد: تُرفض بالرمز 131056',
    throughput_limit: 'كثيرة في وقت واحد: تُرفض بالرمز 130429',
    provider_fault: 'خلل في واتساب: HTTP 500',
    provider_page: 'خلل في واتساب: HTTP 502 مع صفحة',
    slow: 'تُقبل، لكن الجواب يستغرق 8 ثوانٍ',
    dropped: 'ينقطع الاتصال ولا يُقبل شيء',
    dropped_but_taken: 'ينقطع الاتصال بعد قبول الرسالة',
    never_delivered: 'تُرسل ولا تصل أبدًا',
    never_read: 'تصل ولا تُقرأ أبدًا',
    delivered_skipped: 'تُقرأ دون إشعار وصول',
    disordered: 'كل حالة مرتين وبترتيب خاطئ',
    fails_later: 'تُرسل ثم تفشل بالرمز 131026',
    username: 'له اسم مستخدم بدل الرقم',
  },

  back: 'عودة إلى الهواتف',
  phoneOf: (phone: string) => `هاتف ${phone}`,
  chatWith: (name: string) => `محادثة مع ${name}`,
  online: 'متصل',
  off: 'الهاتف مغلق',
  menu: 'ما يستطيع العميل فعله',
  turnOff: 'أغلق الهاتف',
  turnOn: 'شغّل الهاتف',
  block: 'احظر هذا النشاط',
  unblock: 'ارفع الحظر عن هذا النشاط',
  hideRead: 'أخفِ مؤشرات القراءة',
  showRead: 'أظهر مؤشرات القراءة',
  readHidden: 'لا يعلم النشاط بما قُرئ.',
  offBanner: 'الهاتف مغلق: تبقى الرسائل بعلامة واحدة حتى يُشغَّل.',
  blockedBanner: 'هذا النشاط محظور: لا يصل ما يرسله.',
  today: 'اليوم',
  waiting: 'لم تصل إلى الهاتف بعد',
  lost: {
    expired: 'لن تصل: انتهت مدتها',
    blocked: 'لن تصل: كان العميل قد حظر النشاط',
    failed: 'لن تصل: فشل إرسالها',
  },
  emptyChat: 'لم يُقل شيء بعد. أرسل رسالة إلى هذا الرقم، أو اكتب أول رسالة بصفتك العميل.',
  reply: 'الرد على هذه الرسالة',
  replyingTo: 'ردًا على',
  noReply: 'إلغاء الرد',
  type: 'اكتب بصفتك العميل',
  send: 'إرسال',
  sendChoice: 'أرسل الاختيار',
  close: 'إغلاق',
  copied: (code: string) => `نُسخ ${code}.`,
  notCopied: (code: string) => `لم يسمح المتصفح بالنسخ. الرمز هو ${code}.`,
  goesNowhere: 'يعرض الهاتف الروابط والأرقام ولا يذهب إليها.',
  newMessage: (text: string) => `رسالة جديدة: ${text}`,
  didNotWork: 'لم ينجح ذلك.',
  noTwin: 'لم يُجب التوأم. هل هو قيد التشغيل؟',
  latest: 'إلى آخر رسالة',

  posts: 'الإشعارات لحظة خروجها',
  postsAbout: 'ما يخبر به التوأم عنوانك، الأحدث أولًا.',
  noPosts: 'لم يخرج أي إشعار بعد. تذهب الإشعارات إلى العنوان الذي شُغّل التوأم به.',
  postState: { waiting: 'في الطريق', answered: 'أُجيب', lost: 'ضاع' },
  tries: (count: number) => `المحاولة ${count}`,
  bodyGone: 'لم يعد المحتوى محفوظًا.',
  twinTitle: 'هاتف توأم واتساب',
  twinAbout: 'لا يصل ما يُرسل هنا إلى أي هاتف حقيقي.',
  tryIt: 'أرسل رسالتك الأولى',
  tryItAbout: 'الصق هذا في الطرفية ليظهر الرمز على هاتف هنا.',
  copy: 'نسخ',
  language: 'English',
}

export const PHONE_WORDS: Readonly<Record<Language, PhoneWords>> = { en: english, ar: arabic }

/** The language of the phone; where nobody says it, the page's own. */
export const PhoneLanguage = createContext<Language | undefined>(undefined)

export function usePhoneLanguage(): Language {
  const chosen = useContext(PhoneLanguage)
  if (chosen) return chosen
  return document.documentElement.lang.startsWith('ar') ? 'ar' : 'en'
}

export const usePhoneWords = (): PhoneWords => PHONE_WORDS[usePhoneLanguage()]

export const directionOf = (language: Language): 'ltr' | 'rtl' => (language === 'ar' ? 'rtl' : 'ltr')
