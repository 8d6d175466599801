import type { ErrorClass, ErrorScope, FailureCode, KnownError, ProviderError } from '../provider.ts'
import { storableText } from '../../db.ts'
import { type Sentence, keptSentences } from '../../sentences.ts'
import { objectOf, textOf } from './json.ts'
import { remedies } from './remedies.ts'

type Meaning = { class: ErrorClass; scope: ErrorScope; failureCode: FailureCode; title: Sentence }

const credentials = (title: Sentence): Meaning => ({
  class: 'credentials',
  scope: 'account',
  failureCode: 'PROVIDER_CREDENTIALS_INVALID',
  title,
})
const rate = (scope: 'pair' | 'sender' | 'account', title: Sentence): Meaning => ({
  class: 'rate',
  scope,
  failureCode: scope === 'pair' ? 'RECIPIENT_RATE_LIMITED' : 'SENDER_RATE_LIMITED',
  title,
})
const transient = (scope: ErrorScope, title: Sentence): Meaning => ({
  class: 'transient',
  scope,
  failureCode: 'PROVIDER_UNAVAILABLE',
  title,
})
const doubtful = (title: Sentence): Meaning => ({ class: 'doubtful', scope: 'message', failureCode: 'UNKNOWN', title })
const permanent = (scope: ErrorScope, failureCode: FailureCode, title: Sentence): Meaning => ({
  class: 'permanent',
  scope,
  failureCode,
  title,
})
const recipient = (failureCode: FailureCode, title: Sentence): Meaning => permanent('message', failureCode, title)
const parameters = (title: Sentence): Meaning => permanent('message', 'TEMPLATE_PARAMETERS_REJECTED', title)
const sender = (title: Sentence): Meaning => permanent('sender', 'SENDER_UNAVAILABLE', title)
const account = (title: Sentence): Meaning => permanent('account', 'SENDER_UNAVAILABLE', title)
const other = (title: Sentence): Meaning => permanent('message', 'UNKNOWN', title)
const management = (title: Sentence): Meaning => permanent('template', 'UNKNOWN', title)

/**
 * Every code of whatsapp-cloud-api.md §3.3, in its order. What the source calls a matter of configuration is permanent
 * for the message and has a scope wider than it, except where the recipient is what the sender may not reach.
 */
export const errorMeanings: Readonly<Record<number, Meaning>> = {
  0: credentials({ en: 'App user could not be authenticated', ar: 'تعذّر التحقق من هوية مستخدم التطبيق' }),
  1: doubtful({ en: 'Invalid request or server fault', ar: 'طلب غير صالح أو خلل في الخادم' }),
  2: transient('account', { en: 'Service down or overloaded', ar: 'الخدمة متوقفة أو تحت ضغط زائد' }),
  3: credentials({ en: 'App lacks a capability or permission', ar: 'تنقص التطبيق قدرة أو صلاحية' }),
  4: rate('account', { en: 'App call rate reached', ar: 'بلغ التطبيق الحد الأقصى لعدد الطلبات' }),
  10: credentials({ en: 'Permission not granted or removed', ar: 'الصلاحية غير ممنوحة أو سُحبت' }),
  17: rate('account', { en: 'User call rate reached', ar: 'بلغ المستخدم الحد الأقصى لعدد الطلبات' }),
  33: sender({ en: 'Phone number id wrong or deleted', ar: 'معرّف رقم الهاتف خاطئ أو محذوف' }),
  100: parameters({ en: 'Parameter invalid or not supported', ar: 'متغير غير صالح أو غير مدعوم' }),
  102: credentials({ en: 'Session of the access token ended', ar: 'انتهت جلسة رمز الوصول' }),
  104: credentials({ en: 'Access token required', ar: 'رمز الوصول مطلوب' }),
  190: credentials({
    en: 'Access token expired, revoked or malformed',
    ar: 'رمز الوصول منتهي الصلاحية أو ملغى أو غير سليم',
  }),
  341: rate('account', { en: 'Application limit reached', ar: 'بلغ التطبيق حدّه' }),
  368: permanent('account', 'POLICY_VIOLATION', {
    en: 'Account temporarily restricted for policy',
    ar: 'الحساب مقيّد مؤقتًا لمخالفة السياسات',
  }),
  80007: rate('account', { en: 'Account call rate reached', ar: 'بلغ الحساب الحد الأقصى لعدد الطلبات' }),
  130403: recipient('RECIPIENT_NOT_ALLOWED', {
    en: 'The business blocked this recipient',
    ar: 'حظر النشاط التجاري هذا المستلم',
  }),
  130429: rate('sender', { en: 'Throughput of the number reached', ar: 'بلغ الرقم سرعته القصوى' }),
  130472: recipient('RECIPIENT_UNREACHABLE', {
    en: 'Recipient is part of a WhatsApp experiment',
    ar: 'المستلم ضمن تجربة يجريها واتساب',
  }),
  130497: recipient('RECIPIENT_NOT_ALLOWED', {
    en: 'Account may not write to this country',
    ar: 'لا يحق للحساب مراسلة هذا البلد',
  }),
  131000: doubtful({ en: 'Unknown failure', ar: 'فشل غير معروف' }),
  131005: credentials({ en: 'Access denied', ar: 'الوصول مرفوض' }),
  131008: parameters({ en: 'Required parameter missing', ar: 'متغير مطلوب ناقص' }),
  131009: parameters({ en: 'Parameter value invalid', ar: 'قيمة متغير غير صالحة' }),
  131016: transient('sender', { en: 'Service temporarily unavailable', ar: 'الخدمة غير متاحة مؤقتًا' }),
  131021: recipient('RECIPIENT_NOT_ALLOWED', { en: 'Sender and recipient are the same', ar: 'المرسل والمستلم واحد' }),
  131026: recipient('RECIPIENT_UNREACHABLE', { en: 'Message undeliverable', ar: 'تعذّر تسليم الرسالة' }),
  131030: recipient('RECIPIENT_NOT_ALLOWED', {
    en: 'Recipient not on the test number’s list',
    ar: 'المستلم ليس في قائمة رقم الاختبار',
  }),
  131031: account({ en: 'Account locked', ar: 'الحساب مقفل' }),
  131037: sender({ en: 'Number needs an approved display name', ar: 'يحتاج الرقم إلى اسم عرض موافَق عليه' }),
  131042: account({ en: 'Payment or eligibility problem of the account', ar: 'مشكلة في الدفع أو في أهلية الحساب' }),
  131045: sender({ en: 'Number not registered correctly', ar: 'الرقم غير مسجّل تسجيلًا صحيحًا' }),
  131047: recipient('WINDOW_CLOSED', {
    en: 'More than 24 hours since the last reply',
    ar: 'مضت أكثر من 24 ساعة على آخر رد',
  }),
  131048: {
    class: 'quality',
    scope: 'sender',
    failureCode: 'SENDER_RATE_LIMITED',
    title: { en: 'Number limited for spam or quality', ar: 'الرقم مقيّد بسبب الإزعاج أو الجودة' },
  },
  131049: recipient('RECIPIENT_RATE_LIMITED', {
    en: 'Held back to keep the ecosystem healthy',
    ar: 'لم تُسلَّم حفاظًا على سلامة المنظومة',
  }),
  131050: recipient('RECIPIENT_NOT_ALLOWED', {
    en: 'Recipient opted out of marketing messages',
    ar: 'ألغى المستلم اشتراكه في الرسائل التسويقية',
  }),
  131051: other({ en: 'Message type not supported', ar: 'نوع الرسالة غير مدعوم' }),
  131052: other({ en: 'Media could not be downloaded', ar: 'تعذّر تنزيل الوسائط' }),
  131053: other({ en: 'Media could not be uploaded', ar: 'تعذّر رفع الوسائط' }),
  131055: other({ en: 'Marketing product error', ar: 'خطأ في منتج التسويق' }),
  131056: rate('pair', {
    en: 'Too many messages from this number to this recipient',
    ar: 'رسائل كثيرة جدًا من هذا الرقم إلى هذا المستلم',
  }),
  131057: transient('sender', { en: 'Number in maintenance', ar: 'الرقم قيد الصيانة' }),
  131059: other({ en: 'Paging cursor invalid or expired', ar: 'مؤشر الصفحات غير صالح أو منتهي الصلاحية' }),
  131062: recipient('RECIPIENT_NOT_ALLOWED', {
    en: 'User id not allowed for this message',
    ar: 'معرّف المستخدم غير مسموح به لهذه الرسالة',
  }),
  131063: other({ en: 'Marketing route error', ar: 'خطأ في مسار التسويق' }),
  131064: permanent('account', 'POLICY_VIOLATION', {
    en: 'Templates restricted for misclassification',
    ar: 'القوالب مقيّدة لتصنيفها الخاطئ',
  }),
  132000: parameters({ en: 'Number of parameters differs from the template', ar: 'عدد المتغيرات يخالف القالب' }),
  132001: permanent('template', 'TEMPLATE_NOT_FOUND', {
    en: 'Template absent or not approved in this language',
    ar: 'القالب غير موجود أو لم تتم الموافقة عليه بهذه اللغة',
  }),
  132005: parameters({ en: 'Text too long with its parameters', ar: 'النص مع متغيراته أطول من المسموح' }),
  132007: permanent('template', 'POLICY_VIOLATION', { en: 'Content against policy', ar: 'المحتوى يخالف السياسات' }),
  132008: parameters({ en: 'Parameter value rejected', ar: 'رُفضت قيمة متغير' }),
  132012: parameters({ en: 'Parameter format differs from the template', ar: 'صيغة المتغيرات تخالف القالب' }),
  132015: permanent('template', 'TEMPLATE_PAUSED', {
    en: 'Template paused, or held back by pacing',
    ar: 'القالب موقوف مؤقتًا أو مؤجَّل بسبب تنظيم السرعة',
  }),
  132016: permanent('template', 'TEMPLATE_DISABLED', { en: 'Template disabled for good', ar: 'القالب معطّل نهائيًا' }),
  132018: parameters({ en: 'Parameter text not allowed', ar: 'نص المتغير غير مسموح به' }),
  132068: permanent('template', 'UNKNOWN', { en: 'Flow blocked', ar: 'مسار Flow محظور' }),
  132069: rate('sender', { en: 'Flow throttled', ar: 'مسار Flow مقيّد السرعة' }),
  133000: transient('sender', { en: 'Earlier deregistration not complete', ar: 'لم يكتمل إلغاء التسجيل السابق' }),
  133004: transient('sender', { en: 'Registration server unavailable', ar: 'خادم التسجيل غير متاح' }),
  133005: sender({ en: 'Two-step PIN wrong', ar: 'الرقم السري للتحقق بخطوتين خاطئ' }),
  133006: sender({ en: 'Number must be verified first', ar: 'يجب التحقق من الرقم أولًا' }),
  133008: rate('sender', { en: 'Too many PIN attempts', ar: 'محاولات كثيرة جدًا لإدخال الرقم السري' }),
  133009: rate('sender', { en: 'PIN entered too fast', ar: 'أُدخل الرقم السري بسرعة زائدة' }),
  133010: sender({ en: 'Number not registered on the Cloud API', ar: 'الرقم غير مسجّل في الواجهة السحابية' }),
  133015: transient('sender', { en: 'Number was deleted a moment ago', ar: 'حُذف الرقم قبل لحظات' }),
  133016: rate('sender', { en: 'Registration limit reached', ar: 'بُلغ حد التسجيل' }),
  134011: account({ en: 'Payments terms not accepted', ar: 'لم تُقبل شروط الدفع' }),
  135000: parameters({ en: 'Error in the parameters', ar: 'خطأ في المتغيرات' }),
  137000: recipient('RECIPIENT_NOT_ALLOWED', { en: 'Recipient’s identity key changed', ar: 'تغيّر مفتاح هوية المستلم' }),
  141002: permanent('template', 'TEMPLATE_PAUSED', { en: 'Template cannot be sent', ar: 'لا يمكن إرسال القالب' }),
  2388019: management({ en: 'Too many templates', ar: 'قوالب كثيرة جدًا' }),
  2388039: management({ en: 'Template state cannot change so', ar: 'لا يمكن تغيير حالة القالب هكذا' }),
  2388040: management({ en: 'Template field too long', ar: 'حقل في القالب أطول من المسموح' }),
  2388047: management({ en: 'Template header malformed', ar: 'عنوان القالب غير سليم' }),
  2388072: management({ en: 'Template body malformed', ar: 'نص القالب غير سليم' }),
  2388073: management({ en: 'Template footer malformed', ar: 'تذييل القالب غير سليم' }),
  2388293: management({ en: 'Too many variables for the text', ar: 'متغيرات كثيرة جدًا بالنسبة إلى النص' }),
  2388299: management({ en: 'Variable at start or end of the text', ar: 'متغير في أول النص أو آخره' }),
  2494100: transient('template', { en: 'Template management in maintenance', ar: 'إدارة القوالب قيد الصيانة' }),
}

/** Codes 200 to 299 are all of one meaning. */
const PERMISSION = {
  from: 200,
  to: 299,
  meaning: credentials({ en: 'Permission on the asset missing', ar: 'الصلاحية على هذا المورد ناقصة' }),
}

/** Sub-code 33 of code 100: the id in the path is wrong, or this token may not see it. */
const OBJECT_MISSING = {
  code: 100,
  subcode: 33,
  meaning: sender({ en: 'Object missing, or no access to it', ar: 'الكائن غير موجود أو لا وصول إليه' }),
}

export const meaningOf = (code: number | null, httpStatus: number | null): Meaning =>
  findMeaning(code) ?? unknownMeaning(httpStatus ?? 0)

function findMeaning(code: number | null): Meaning | undefined {
  if (code === null) return undefined
  return code >= PERMISSION.from && code <= PERMISSION.to ? PERMISSION.meaning : errorMeanings[code]
}

export const isKnown = ({ code }: Pick<ProviderError, 'code'>): boolean => findMeaning(code) !== undefined

export function findError(code: number): KnownError | undefined {
  const meaning = findMeaning(code)
  return meaning && { title: meaning.title, failureCode: meaning.failureCode, remedy: remedies.get(code) }
}

const UNKNOWN_TITLE: Sentence = { en: 'Error without a known code', ar: 'خطأ بلا رمز معروف' }

/** Stored with the attempts that met them. */
keptSentences({
  ...Object.fromEntries(Object.entries(errorMeanings).map(([code, { title }]) => [code, title])),
  permission: PERMISSION.meaning.title,
  object: OBJECT_MISSING.meaning.title,
  unknown: UNKNOWN_TITLE,
})

/** For codes that no table knows yet (§3.2). A status webhook has no HTTP status: its failure is final. */
function unknownMeaning(httpStatus: number): Meaning {
  const title = UNKNOWN_TITLE
  // Of the message alone: one odd 500 tells nothing of a number that sends a thousand messages in the same second.
  if (httpStatus >= 500) return transient('message', title)
  if (httpStatus === 401 || httpStatus === 403) return credentials(title)
  if (httpStatus === 429) return rate('sender', title)
  return other(title)
}

export const INT4_MOST = 2_147_483_647

/** Null when there is none, or none that a column for codes could hold. */
export const codeOf = (error: unknown): number | null => numberOf(objectOf(error)?.code)

function numberOf(value: unknown): number | null {
  const code = Number(textOf(value) ?? Number.NaN)
  return Number.isInteger(code) && code >= 0 && code <= INT4_MOST ? code : null
}

/** The longest text of the provider that is kept of an error. */
const TEXT_MOST = 300

/** An error as an HTTP answer has it. `mask` takes secrets out of the provider's texts, which may quote the request. */
export function readAnswerError(
  body: unknown,
  { httpStatus, mask }: { httpStatus: number; mask: (text: string) => string },
): ProviderError {
  const error = objectOf(objectOf(body)?.error)
  const code = codeOf(error)
  const missing = code === OBJECT_MISSING.code && error?.error_subcode === OBJECT_MISSING.subcode
  const subcode = numberOf(error?.error_subcode)
  const { title, ...meaning } = missing ? OBJECT_MISSING.meaning : meaningOf(code, httpStatus)
  const known = code !== null && title !== UNKNOWN_TITLE
  const clean = (text: unknown): string => shortened(mask(storableText(textOf(text) ?? '')))
  const message = clean(error?.message)
  const data = error?.error_data
  const details = clean(objectOf(data)?.details) || clean(typeof data === 'string' ? data : error?.error_user_msg)
  return {
    code,
    title: known ? title.en : message || title.en,
    detail: details || (known ? message : ''),
    ...meaning,
    ...(subcode !== null && { subcode }),
  }
}

/** An error of a status webhook: its code alone, since its texts may quote the message (see parse). */
export function readStatusError(error: unknown): ProviderError {
  const code = codeOf(error)
  const { title, ...meaning } = meaningOf(code, null)
  return { code, detail: '', title: title.en, ...meaning }
}

const shortened = (text: string): string => (text.length > TEXT_MOST ? `${text.slice(0, TEXT_MOST)}…` : text)
