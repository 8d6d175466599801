import { type Sentence, sentences } from '../../sentences.ts'
import type { Remedy } from '../provider.ts'

/** What to do about an error whose failure code says less, or less exactly (whatsapp-cloud-api.md §3.3). */
const operators = sentences({
  130403: {
    en: 'The operator must unblock the recipient on WhatsApp if they are to get messages, because the business itself has blocked them.',
    ar: 'على المشغّل أن يلغي حظر المستلم في واتساب إن أُريد أن تصله الرسائل، لأن النشاط التجاري نفسه قد حظره.',
  },
  130497: {
    en: 'The operator must look up in WhatsApp Manager which countries the account may write to, because this recipient is in another one.',
    ar: 'على المشغّل أن يراجع في مدير واتساب البلدان التي يحق للحساب مراسلتها، لأن هذا المستلم في بلد آخر.',
  },
  131030: {
    en: 'The operator must add the recipient to the test number’s list in the App Dashboard of Meta, or use a number that is no test number.',
    ar: 'على المشغّل أن يضيف المستلم إلى قائمة رقم الاختبار في لوحة التطبيقات لدى Meta، أو أن يستخدم رقمًا ليس للاختبار.',
  },
  131037: {
    en: 'The operator must have a display name approved for the number in WhatsApp Manager.',
    ar: 'على المشغّل أن يحصل في مدير واتساب على الموافقة على اسم عرض للرقم.',
  },
  131042: {
    en: 'The operator must mend the account’s payment method or eligibility in WhatsApp Manager.',
    ar: 'على المشغّل أن يصلح طريقة الدفع أو أهلية الحساب في مدير واتساب.',
  },
  131045: {
    en: 'The operator must register the number on the Cloud API again.',
    ar: 'على المشغّل أن يسجّل الرقم في الواجهة السحابية مجددًا.',
  },
  131048: {
    en: 'The operator must see to the quality of the sender’s number in WhatsApp Manager and have less sent with it, because WhatsApp limits it for messages that were blocked or reported.',
    ar: 'على المشغّل أن يعالج جودة رقم المرسل في مدير واتساب ويقلّل الإرسال منه، لأن واتساب قيّده بسبب رسائل حُظرت أو أُبلغ عنها.',
  },
  131064: {
    en: 'The operator must give the templates their right categories in WhatsApp Manager and wait until WhatsApp lifts the restriction by itself.',
    ar: 'على المشغّل أن يصحّح فئات القوالب في مدير واتساب وينتظر حتى يرفع واتساب التقييد تلقائيًا.',
  },
  133006: {
    en: 'The operator must verify the number in WhatsApp Manager and register it on the Cloud API.',
    ar: 'على المشغّل أن يتحقق من ملكية الرقم في مدير واتساب ثم يسجّله في الواجهة السحابية.',
  },
  133010: {
    en: 'The operator must register the number on the Cloud API.',
    ar: 'على المشغّل أن يسجّل الرقم في الواجهة السحابية.',
  },
  134011: {
    en: 'The operator must accept WhatsApp’s payments terms in WhatsApp Manager.',
    ar: 'على المشغّل أن يقبل شروط الدفع لدى واتساب في مدير واتساب.',
  },
  141002: {
    en: 'The operator must look up the template’s health in WhatsApp Manager, because WhatsApp says that it cannot be sent.',
    ar: 'على المشغّل أن يراجع حالة القالب في مدير واتساب، لأن واتساب يقول إنه لا يمكن إرساله.',
  },
})

const callers = sentences({
  1: {
    en: 'The caller must send again later and tell the operator if it stays so, because WhatsApp had a fault that it does not explain.',
    ar: 'على صاحب الطلب أن يرسل مجددًا لاحقًا ويخبر المشغّل إن تكرر ذلك، لأن في واتساب خللًا لا يفسّره.',
  },
  130472: {
    en: 'The caller must use another channel, because WhatsApp keeps messages from this recipient for an experiment of its own.',
    ar: 'على صاحب الطلب أن يستخدم قناة أخرى، لأن واتساب يحجب الرسائل عن هذا المستلم لتجربة يجريها.',
  },
  131000: {
    en: 'The caller must send again later and tell the operator if it stays so, because WhatsApp failed without a reason.',
    ar: 'على صاحب الطلب أن يرسل مجددًا لاحقًا ويخبر المشغّل إن تكرر ذلك، لأن واتساب أخفق بلا سبب.',
  },
  131021: {
    en: 'The caller must send to another number, because the recipient is the sender itself.',
    ar: 'على صاحب الطلب أن يرسل إلى رقم آخر، لأن المستلم هو المرسل نفسه.',
  },
  131049: {
    en: 'The caller must wait for a day at least, and longer each time, before sending to this recipient again, because WhatsApp held the message back.',
    ar: 'على صاحب الطلب أن ينتظر يومًا على الأقل، ومدة أطول في كل مرة، قبل مراسلة هذا المستلم مجددًا، لأن واتساب حجز الرسالة.',
  },
  131050: {
    en: 'The caller must send this recipient no more of these messages, because they opted out of the business’s marketing.',
    ar: 'على صاحب الطلب ألا يرسل إلى هذا المستلم مثل هذه الرسائل، لأنه ألغى اشتراكه في تسويق هذا النشاط التجاري.',
  },
  137000: {
    en: 'The caller must make sure that the number still belongs to the same person, because its identity on WhatsApp has changed.',
    ar: 'على صاحب الطلب أن يتأكد من أن الرقم ما زال للشخص نفسه، لأن هويته في واتساب تغيّرت.',
  },
})

const of = (who: Remedy['who'], table: Readonly<Record<string, Sentence>>): [code: number, remedy: Remedy][] =>
  Object.entries(table).map(([code, sentence]) => [Number(code), { who, sentence }])

export const remedies: ReadonlyMap<number, Remedy> = new Map([...of('operator', operators), ...of('caller', callers)])
