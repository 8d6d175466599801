import type { Language } from '../words.ts'

/** Each sentence of the server's reader (src/cod/settings.ts), and how it is said to people. */
const SENTENCES: readonly { says: RegExp; en: string; ar: string }[] = [
  { says: /^is required$|^must be (a string|an object|a list)$/, en: 'is needed', ar: 'مطلوب' },
  {
    says: /^must be the name of an IANA time zone/,
    en: 'choose a place whose time zone is that of your deliveries',
    ar: 'اختر مكانًا تكون منطقته الزمنية هي منطقة التوصيل',
  },
  {
    says: /^must be (?:null or )?a whole number of minutes from (\S+) to (\S+)$/,
    en: 'must be from $1 to $2 minutes',
    ar: 'يجب أن تكون من $1 إلى $2 دقيقة',
  },
  {
    says: /^must be a whole number from (\S+) to (\S+)$/,
    en: 'must be a whole number from $1 to $2',
    ar: 'يجب أن يكون عددًا صحيحًا من $1 إلى $2',
  },
  {
    says: /^must be later than the reminder: (\S+) minutes is not after (\S+)$/,
    en: 'must be later than the reminder: $1 minutes is not after $2',
    ar: 'يجب أن تكون بعد التذكير: $1 دقيقة ليست بعد $2',
  },
  {
    says: /^must be one of /,
    en: 'must be days of the week',
    ar: 'يجب أن تكون من أيام الأسبوع',
  },
  {
    says: /^must name at most (\S+) weekdays$/,
    en: 'can be at most $1 days: one must be left for deliveries',
    ar: 'لا يمكن أن تزيد على $1 أيام: يجب أن يبقى يوم للتوصيل',
  },
  { says: /^must not be blank$/, en: 'must not be empty', ar: 'يجب ألا يكون فارغًا' },
  {
    says: /^must have at most (\S+) characters$/,
    en: 'is too long: WhatsApp shows at most $1 characters',
    ar: 'طويل جدًا: يعرض واتساب $1 حرفًا على الأكثر',
  },
  { says: /^must be on one line$/, en: 'must be on one line', ar: 'يجب أن يكون في سطر واحد' },
  {
    says: /^must not hold (control characters|half of a surrogate pair)$/,
    en: 'holds a character that cannot be shown; type it anew',
    ar: 'يحتوي على حرف لا يمكن عرضه؛ اكتبه من جديد',
  },
  {
    says: /^must be a list of (\S+) to (\S+) texts$/,
    en: 'must be from $1 to $2',
    ar: 'يجب أن يكون عددها من $1 إلى $2',
  },
  {
    says: /^repeats item \S+ of the list$/,
    en: 'is the same as one above; nobody could tell them apart',
    ar: 'مطابق لواحد أعلاه؛ لن يستطيع أحد التمييز بينهما',
  },
  {
    says: /^must differ from the otherLabel$/,
    en: 'is the same as the Other row; nobody could tell them apart',
    ar: 'مطابق لصف «سبب آخر»؛ لن يستطيع أحد التمييز بينهما',
  },
  {
    says: /^must hold at most (\S+) languages$/,
    en: 'can be at most $1 languages',
    ar: 'لا يمكن أن تزيد على $1 لغة',
  },
  {
    says: /^must be named by the code of a template language/,
    en: 'is no language code of WhatsApp, such as ar, en or en_US',
    ar: 'ليس رمز لغة من رموز واتساب، مثل ar أو en أو en_US',
  },
  { says: /^is not a setting$/, en: 'is unknown to this release', ar: 'غير معروف في هذا الإصدار' },
]

/** What is wrong, in the language of the page. A sentence that is not in the table stands as the server said it. */
export function faultInWords(detail: string, language: Language): string {
  for (const sentence of SENTENCES) {
    const found = sentence.says.exec(detail)
    if (found) return sentence[language].replaceAll(/\$(\d)/g, (_, place: string) => found[Number(place)] ?? '')
  }
  return detail
}
