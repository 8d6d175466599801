/**
 * Why a template cannot be used, as src/templates/usability.ts and cod-usability.ts say it in English, in Arabic. A test
 * holds every sentence of theirs against this table; one that it lacks is shown in English.
 */
const n = (text: string | undefined): string => `\u2066${text ?? ''}\u2069`

const ANOTHER = 'أنشئ قالبًا آخر واستخدمه.'

const REMEDIES: readonly [RegExp, string][] = [
  [/has reviewed it\.$/, 'انتظر حتى تنتهي واتساب من مراجعته.'],
  [/decided on the appeal\.$/, 'انتظر حتى تبتّ واتساب في الاعتراض.'],
  [/ends the pause/, 'انتظر حتى تنهي واتساب الإيقاف، أو استخدم قالبًا آخر.'],
  [/^Edit it/, 'عدّله في مدير واتساب، أو استخدم قالبًا آخر.'],
  [/has approved it/, 'انتظر حتى توافق واتساب عليه، أو استخدم قالبًا آخر.'],
  [/./, 'استخدم قالبًا آخر.'],
]

const MEANINGS = {
  confirmation: 'لقالب التأكيد ثلاثة أزرار رد سريع بالضبط بهذا الترتيب: تأكيد، إلغاء، تغيير الموعد',
  refusal: 'لقالب سؤال الرفض زرّا رد سريع بالضبط بهذا الترتيب: نعم (رفضته)، لا (لم أرفضه)',
}

const meaningIn = (sentence: string): string =>
  sentence.includes('the refusal template') ? MEANINGS.refusal : MEANINGS.confirmation

const TABLE: readonly [RegExp, (match: readonly string[]) => string][] = [
  [
    /^The template has the status (\S+), and only APPROVED ones can be sent\. (.*)$/,
    ([, status, remedy = '']) =>
      `حالة القالب ${n(status)}، ولا يُرسل إلا ما حالته ${n('APPROVED')}. ${REMEDIES.find(([pattern]) => pattern.test(remedy))?.[1] ?? ''}`,
  ],
  [
    /^The template has the category (\S+), and one-time codes/,
    ([, category]) => `فئة القالب ${n(category)}، ولا تُرسل رموز التحقق إلا بالفئة ${n('AUTHENTICATION')}. ${ANOTHER}`,
  ],
  [
    /^The template has the category (\S+), and orders/,
    ([, category]) => `فئة القالب ${n(category)}، ولا يُسأل عن الطلبات إلا بالفئة ${n('UTILITY')}. ${ANOTHER}`,
  ],
  [
    /^The template has a header of the format (\S+), and a code/,
    ([, format]) => `عنوان القالب من نوع ${n(format)}، والرمز لا يملأ عنوانًا. ${ANOTHER}`,
  ],
  [
    /^The template has a header of the format (\S+), and only text/,
    ([, format]) => `عنوان القالب من نوع ${n(format)}، ولا تُدعم إلا العناوين النصية. ${ANOTHER}`,
  ],
  [/^The template's header has a parameter/, () => `في عنوان القالب متغير، والرمز لا يملأ عنوانًا. ${ANOTHER}`],
  [
    /^The template's header has (\d+) parameters/,
    ([, count]) => `عدد متغيرات عنوان القالب ${n(count)}، ولا يمكن ملء أكثر من واحد. ${ANOTHER}`,
  ],
  [/^The template has no body/, () => `ليس للقالب نص. ${ANOTHER}`],
  [/^The template has more than one body/, () => `للقالب أكثر من نص. ${ANOTHER}`],
  [
    /^The template's body has (no parameter|\d+ parameters) instead/,
    ([, count = '']) =>
      `عدد متغيرات نص القالب ${n(String(Number.parseInt(count, 10) || 0))} بدل متغير واحد بالضبط هو الرمز. ${ANOTHER}`,
  ],
  [
    /^The template's body has the parameter (\S+) instead/,
    ([, parameter]) => `متغير نص القالب هو ${n(parameter)} بدل ${n('{{1}}')}. ${ANOTHER}`,
  ],
  [
    /^The template's body has (\d+) numbered parameters, but no (\S+)\./,
    ([, count, gap]) => `عدد المتغيرات المرقّمة في نص القالب ${n(count)}، لكن ينقصه ${n(gap)}. ${ANOTHER}`,
  ],
  [
    /^The template has a component of the type (\S+),/,
    ([, type]) => `في القالب جزء من نوع ${n(type)} لا يكون في القوالب العادية. ${ANOTHER}`,
  ],
  [
    /^The template has more than one component of the type (\S+)\. /,
    ([, type]) => `في القالب أكثر من جزء من نوع ${n(type)}. ${ANOTHER}`,
  ],
  [
    /^Button (\d+) of the template is of the type (\S+) and no one-time-code/,
    ([, place, type]) =>
      `الزر رقم ${n(place)} من نوع ${n(type)} وليس زر رمز تحقق (نسخ الرمز أو ملؤه تلقائيًا). ${ANOTHER}`,
  ],
  [
    /^Button (\d+) of the template is of the type (\S+), but (.*)$/,
    ([, place, type, expected = '']) =>
      `الزر رقم ${n(place)} من نوع ${n(type)}، لكن ${meaningIn(expected)}. ${ANOTHER}`,
  ],
  [
    /^The template has (no quick reply|\d+ quick (?:reply|replies)), but (.*)$/,
    ([, count = '', expected = '']) =>
      `عدد أزرار الرد السريع في القالب ${n(String(Number.parseInt(count, 10) || 0))}، لكن ${meaningIn(expected)}. ${ANOTHER}`,
  ],
]

export function reasonIn(language: 'en' | 'ar', reason: string): { text: string; lang: 'en' | 'ar' } {
  if (language === 'en') return { text: reason, lang: 'en' }
  for (const [pattern, say] of TABLE) {
    const match = pattern.exec(reason)
    if (match) return { text: say(match), lang: 'ar' }
  }
  return { text: reason, lang: 'en' }
}
