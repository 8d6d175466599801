import { type Sentence, sentences } from '../sentences.ts'
import type { FailureCode } from './provider.ts'

/** What a caller reads as `failure.message` (contract §6): our own words, safe to show, naming who must act. */
export const failures: Readonly<Record<FailureCode, Sentence>> = sentences({
  RECIPIENT_UNREACHABLE: {
    en: 'WhatsApp could not deliver to this number: it may have no WhatsApp account, an outdated app, terms that were not accepted, or be part of an experiment of WhatsApp. Check the number with the recipient or use another channel.',
    ar: 'لم يستطع واتساب تسليم الرسالة إلى هذا الرقم: ربما ليس له حساب واتساب، أو تطبيقه قديم، أو لم يقبل الشروط، أو هو ضمن تجربة يجريها واتساب. تحقّق من الرقم مع المستلم أو استخدم قناة أخرى.',
  },
  RECIPIENT_NOT_ALLOWED: {
    en: 'WhatsApp does not let this sender write to this recipient: the business has blocked the recipient on WhatsApp, or the recipient opted out of its marketing, is the sender itself, has another identity than before, is not on the test number’s list, or is in a country that the account may not write to. Do not repeat it; the operator finds which of these with "explain", and checks blocked users and restrictions in WhatsApp Manager.',
    ar: 'لا يسمح واتساب لهذا المرسل بمراسلة هذا المستلم: فقد حظره النشاط التجاري في واتساب، أو ألغى المستلم اشتراكه في رسائله التسويقية، أو هو المرسل نفسه، أو تغيّرت هويته، أو ليس في قائمة رقم الاختبار، أو هو في بلد لا يحق للحساب مراسلته. لا تُعد المحاولة؛ وعلى المشغّل أن يعرف السبب من تسلسل الأحداث، وأن يراجع المحظورين والقيود في مدير واتساب.',
  },
  RECIPIENT_RATE_LIMITED: {
    en: 'This recipient has had too many messages lately. The caller waits before sending to this number again.',
    ar: 'وصلت إلى هذا المستلم رسائل كثيرة في الآونة الأخيرة. على صاحب الطلب أن ينتظر قبل مراسلة هذا الرقم مجددًا.',
  },
  SENDER_RATE_LIMITED: {
    en: 'The sender reached a sending limit of WhatsApp. The caller spreads messages over time or uses another sender; the operator checks the number’s limits and quality in WhatsApp Manager.',
    ar: 'بلغ المرسل حدًّا من حدود الإرسال في واتساب. على صاحب الطلب أن يوزّع الرسائل على وقت أطول أو يستخدم مرسلًا آخر؛ وليراجع المشغّل حدود الرقم وجودته في مدير واتساب.',
  },
  SENDER_UNAVAILABLE: {
    en: 'The sender’s number or its WhatsApp account cannot send at present. The operator checks registration, display name, payment method and restrictions in WhatsApp Manager.',
    ar: 'لا يستطيع رقم المرسل أو حسابه في واتساب الإرسال حاليًا. على المشغّل أن يراجع التسجيل واسم العرض وطريقة الدفع والقيود في مدير واتساب.',
  },
  PROVIDER_CREDENTIALS_INVALID: {
    en: 'WhatsApp refused the account’s access token or its permissions. The operator connects the account again with a working token.',
    ar: 'رفض واتساب رمز الوصول الخاص بالحساب أو صلاحياته. على المشغّل أن يربط الحساب مجددًا برمز وصول صالح.',
  },
  TEMPLATE_NOT_FOUND: {
    en: 'WhatsApp has no approved template of this name in exactly this language. The operator checks the template in WhatsApp Manager and syncs the account.',
    ar: 'لا يوجد في واتساب قالب تمت الموافقة عليه بهذا الاسم وبهذه اللغة تحديدًا. على المشغّل أن يراجع القالب في مدير واتساب ثم يزامن الحساب.',
  },
  TEMPLATE_PAUSED: {
    en: 'WhatsApp does not send this template at present, or held this message back: the template is paused, or its quality or health is bad. The operator checks the template in WhatsApp Manager; until then the caller uses another template.',
    ar: 'لا يرسل واتساب هذا القالب حاليًا أو حجز هذه الرسالة: فالقالب موقوف مؤقتًا، أو جودته أو حالته سيئة. على المشغّل أن يراجع القالب في مدير واتساب، ويستخدم صاحب الطلب قالبًا آخر حتى ذلك الحين.',
  },
  TEMPLATE_DISABLED: {
    en: 'WhatsApp disabled the template. The operator creates another one, and the caller uses that.',
    ar: 'عطّل واتساب القالب. على المشغّل أن ينشئ قالبًا آخر، وعلى صاحب الطلب أن يستخدمه.',
  },
  TEMPLATE_PARAMETERS_REJECTED: {
    en: 'WhatsApp refused the values for the template. The operator syncs the account; if that does not help, the template in WhatsApp Manager is not of the form that Doorcode read.',
    ar: 'رفض واتساب قيم متغيرات القالب. على المشغّل أن يزامن الحساب؛ وإن لم ينفع ذلك فالقالب في مدير واتساب ليس بالشكل الذي قرأه Doorcode.',
  },
  POLICY_VIOLATION: {
    en: 'WhatsApp restricted this account or content for its policies. The operator reads the notice in WhatsApp Manager and appeals or waits until the restriction ends.',
    ar: 'قيّد واتساب هذا الحساب أو محتواه لمخالفة سياساته. على المشغّل أن يقرأ الإشعار في مدير واتساب وأن يعترض أو ينتظر انتهاء التقييد.',
  },
  WINDOW_CLOSED: {
    en: 'More than 24 hours have passed since the recipient’s last message. The caller sends a template instead.',
    ar: 'مضت أكثر من 24 ساعة على آخر رسالة من المستلم. على صاحب الطلب أن يرسل قالبًا بدلًا منها.',
  },
  PROVIDER_UNAVAILABLE: {
    en: 'WhatsApp had a fault, could not be reached, or never told what it did with the message, which may then have arrived. The caller sends again if the recipient has got nothing.',
    ar: 'حدث خلل في واتساب، أو تعذّر الوصول إليه، أو لم يخبر بما فعله بالرسالة، وربما وصلت عندئذ. على صاحب الطلب أن يرسل مجددًا إن لم يصل إلى المستلم شيء.',
  },
  SUBMISSION_EXPIRED: {
    en: 'The message could not be handed to WhatsApp in the time allowed for it. The caller sends again.',
    ar: 'تعذّر تسليم الرسالة إلى واتساب في الوقت المسموح به. على صاحب الطلب أن يرسل مجددًا.',
  },
  UNKNOWN: {
    en: 'WhatsApp did not deliver the message, for no reason that has a code of its own here. The operator finds what WhatsApp said of it, if anything, with "explain".',
    ar: 'لم يسلّم واتساب الرسالة، ولا رمز للسبب هنا. على المشغّل أن يبحث في تسلسل الأحداث عمّا ذكره واتساب، إن ذكر شيئًا.',
  },
})
