/**
 * The texts of authentication templates. Meta writes them itself, in the template's language; these are the emulator's own
 * words to the same effect, and no program should match on either. Other languages get English.
 */
type Texts = { body: string; security: string; footer: string; copy: string; autofill: string }

const ENGLISH: Texts = {
  body: '*{{1}}* is the code for your login.',
  security: 'Keep it to yourself.',
  footer: 'The code works for {{minutes}} minutes.',
  copy: 'Copy code',
  autofill: 'Autofill',
}

const OTHERS: Record<string, Texts> = {
  ar: {
    body: '*{{1}}* هو رمز الدخول الخاص بك.',
    security: 'لا تعطه لأي شخص.',
    footer: 'الرمز صالح لمدة {{minutes}} من الدقائق.',
    copy: 'نسخ الرمز',
    autofill: 'ملء تلقائي',
  },
  fr: {
    body: '*{{1}}* est le code de votre connexion.',
    security: 'Gardez-le pour vous.',
    footer: 'Le code est valable {{minutes}} minutes.',
    copy: 'Copier le code',
    autofill: 'Remplir',
  },
  es: {
    body: '*{{1}}* es el código para entrar.',
    security: 'No se lo dé a nadie.',
    footer: 'El código sirve durante {{minutes}} minutos.',
    copy: 'Copiar código',
    autofill: 'Autocompletar',
  },
  ur: {
    body: '*{{1}}* آپ کے لاگ ان کا کوڈ ہے۔',
    security: 'یہ کسی کو نہ بتائیں۔',
    footer: 'یہ کوڈ {{minutes}} منٹ تک کام کرے گا۔',
    copy: 'کوڈ کاپی کریں',
    autofill: 'خود بھریں',
  },
}

export function otpTexts(language: string): Texts {
  return OTHERS[language.split('_')[0] ?? ''] ?? ENGLISH
}

/** The codes that a template can have. Case-sensitive, with an underscore. */
const LANGUAGE_CODES = `
af sq ar ar_EG ar_AE ar_LB ar_MA ar_QA az be_BY bn bn_IN bg ca zh_CN zh_HK zh_TW hr cs da prs_AF nl nl_BE
en en_GB en_US en_AE en_AU en_CA en_GH en_IE en_IN en_JM en_MY en_NZ en_QA en_SG en_UG en_ZA et fil fi
fr fr_BE fr_CA fr_CH fr_CI fr_MA ka de de_AT de_CH el gu ha he hi hu id ga it ja kn kk rw_RW ko ky_KG lo lv lt
mk ms ml mr nb ps_AF fa pl pt_BR pt_PT pa ro ru sr si_LK sk sl
es es_AR es_CL es_CO es_CR es_DO es_EC es_HN es_MX es_PA es_PE es_ES es_UY sw sv ta te th tr uk ur uz vi zu
`

export const TEMPLATE_LANGUAGES: ReadonlySet<string> = new Set(LANGUAGE_CODES.trim().split(/\s+/))
