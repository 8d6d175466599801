/**
 * The texts of authentication templates. Meta writes them itself, in the template's language; these are the twin's own
 * words to the same effect, and nobody should match on either. Other languages get English.
 */
type Texts = { body: string; security: string; footer: string; copy: string; autofill: string }

const TEXTS: Record<string, Texts> = {
  en: {
    body: '*{{1}}* is the code for your login.',
    security: 'Keep it to yourself.',
    footer: 'The code works for {{minutes}} minutes.',
    copy: 'Copy code',
    autofill: 'Autofill',
  },
  ar: {
    body: '*{{1}}* هو رمز الدخول الخاص بك.',
    security: 'لا تعطه لأي شخص.',
    footer: 'الرمز صالح لمدة {{minutes}} دقيقة.',
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

export function otpBody(language: string, withSecurityAdvice: boolean): string {
  const texts = textsFor(language)
  return withSecurityAdvice ? `${texts.body} ${texts.security}` : texts.body
}

export function otpFooter(language: string, minutes: number): string {
  return textsFor(language).footer.replace('{{minutes}}', String(minutes))
}

export function otpButton(language: string, kind: 'copy' | 'autofill'): string {
  return textsFor(language)[kind]
}

function textsFor(language: string): Texts {
  const texts = TEXTS[language.split('_')[0] ?? ''] ?? TEXTS['en']
  if (texts === undefined) throw new Error('the English texts are missing')
  return texts
}
