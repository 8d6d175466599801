import { createInstance } from 'i18next'
import type { ParameterNames } from './coded-text.gen.ts'
import { visibleText } from './visible-text.ts'

/** The languages of the pages. The API, the command line, logs and webhooks are in English. */
export const LANGUAGES = ['en', 'fr', 'ar'] as const
export type Language = (typeof LANGUAGES)[number]

/** Each by its own name, for those who read no other. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = { en: 'English', fr: 'Français', ar: 'العربية' }

/** Holds the language that a person chose in this browser, for the dashboard and for the pages beside it. */
export const LANGUAGE_COOKIE = 'doorcode-language'

export const directionOf = (language: Language): 'ltr' | 'rtl' => (language === 'ar' ? 'rtl' : 'ltr')

/** A parameter of a text. */
export type TextValue = string | number | CodedText | readonly CodedText[]

/** `namespace.key` of the files in `locales/en/`. */
export type TextCode = keyof ParameterNames

/** The parameters of each text. */
export type Texts = {
  [Code in TextCode]: { [Name in ParameterNames[Code]]: Name extends 'count' ? number : TextValue }
}

type Coded<Code extends TextCode> = {
  readonly [Name in 'code' | keyof Texts[Code]]: Name extends keyof Texts[Code] ? Texts[Code][Name] : Code
}

/**
 * Texts of the pages are never stored or answered, findings have a type of their own, and the texts of a failure are named by its
 * code: without these, the union is small enough for the compiler.
 */
type CoreCode = Exclude<
  TextCode,
  `page_${string}` | `doctor.${string}` | `failures.${string}_${'short' | 'cause' | 'fix'}`
>

/** Where a text names a command, it is in quotes, in Markdown's quotes, or in an isolate of Arabic: “doorcode secrets rotate”. */
const COMMAND = /([“`\u2066]|«[\u00a0\u202f])doorcode (?=[a-z<])/g

/** The text with its commands as its reader types them. `program`: how that person calls the program. */
export const withTypedCommands = (text: string, program: string): string =>
  program === 'doorcode' ? text : text.replaceAll(COMMAND, `$1${program} `)

/** `program` is asked for with each text that has a command: a page learns it after its first texts. */
export function translatorWithCommands(translator: Translator, program: () => string): Translator {
  const typed = (text: string): string => (text.includes('doorcode ') ? withTypedCommands(text, program()) : text)
  return {
    ...translator,
    t: (code, ...parameters) => typed(translator.t(code, ...parameters)),
    textOf: (text) => typed(translator.textOf(text)),
  }
}

/** Text that a person reads, as a code with its parameters: what is stored, logged and answered. */
export type CodedText = { [Code in CoreCode]: Coded<Code> }[CoreCode] | AsWritten

/** A text of a page or of a finding as a parameter of another one. */
export const coded = <Code extends TextCode>(code: Code, ...parameters: ParametersOf<Code>): CodedText =>
  ({ code, ...parameters[0] }) as unknown as CodedText

/** Text of other people or of an earlier release, which every language shows as it is. */
export type AsWritten = { readonly code: 'text'; readonly text: string }

export const asWritten = (text: string): AsWritten => ({ code: 'text', text })

/** The text with its line ends, for a page that shows it separately. Undefined for our own texts. */
export const textAsWritten = (coded: CodedText): string | undefined => (coded.code === 'text' ? coded.text : undefined)

/** Codes of texts without parameters. */
export type PlainCode = { [Code in TextCode]: [keyof Texts[Code]] extends [never] ? Code : never }[TextCode]

/** For a composed code: `plainText(`cod.status_${status}`)`. */
export const plainText = (code: PlainCode): CodedText => ({ code }) as unknown as CodedText

/** Other people's words: Arabic marks them. */
export const quoted = (words: string): CodedText => ({ code: 'words.quoted', words })

/** A command as a parameter of a text: `endpoint list`. */
export const commandText = (command: string): CodedText => ({ code: 'words.command', command })

/** `chained('words.semicolon', all)`: for what a list of the language would not separate so. At least one. */
export const chained = (code: 'words.semicolon' | 'words.bar' | 'words.space', all: readonly CodedText[]): CodedText =>
  all.reduce((first, second) => ({ code, first, second }))

/** A schema's error is a string: the coded text in it is its JSON. */
export const asIssue = (coded: CodedText): string => JSON.stringify(coded)

/** Undefined where a schema's error is not a coded text. */
export const readIssue = (message: string): CodedText | undefined =>
  message.startsWith('{"code":') ? (JSON.parse(message) as CodedText) : undefined

/** namespace → key → text */
export type Resources = Readonly<Record<string, Readonly<Record<string, string>>>>

type ParametersOf<Code extends TextCode> = [keyof Texts[Code]] extends [never] ? [] : [parameters: Texts[Code]]

/** What turns codes into the text of one language. */
export type Translator = {
  readonly language: Language
  readonly textOf: (coded: CodedText) => string
  readonly t: <Code extends TextCode>(code: Code, ...parameters: ParametersOf<Code>) => string
  /** For codes of other systems, such as WhatsApp's statuses, of which some have a text. */
  readonly has: (code: string) => code is PlainCode
  /** Adds the texts of namespaces that were not loaded at first. */
  readonly addTexts: (more: Resources) => void
}

/** Parameters that are a quota or a limit: written as 10,000 everywhere. */
const AMOUNTS: ReadonlySet<string> = new Set(['unit', 'quota', 'min', 'max', 'minutes', 'reminder'])
const ENGLISH_AMOUNTS = new Intl.NumberFormat('en')

/** A day of a delivery, `2026-11-25`: pages write `date` and `month` in words, the command line and logs as it is. */
export const dateText = (date: string): CodedText => ({ code: 'words.date', date })

/** A day, or the month of a quota. */
const ISO_DATE = /^\d{4}-\d{2}(?:-\d{2})?$/

const dateInWords = (date: string, language: Language): string =>
  new Intl.DateTimeFormat(`${language}-u-nu-latn`, {
    ...(date.length > 'yyyy-mm'.length ? { weekday: 'long', day: 'numeric' } : { year: 'numeric' }),
    month: 'long',
    timeZone: 'UTC',
  }).format(new Date(date))

/**
 * An isolate from left to right, such as a command, needs no isolates in it: a copied command would contain their invisible
 * marks.
 */
function withoutInnerMarks(text: string): string {
  const cleaned = text.replaceAll(/(\u2066[^\u2066\u2069]*)\u2068([^\u2066-\u2069]*)\u2069/g, '$1$2')
  return cleaned === text ? text : withoutInnerMarks(cleaned)
}

/**
 * Reads English where `resources` have no text in the language; Arabic is complete and needs no English.
 * Pages give `counts`, which writes `count` as 1,000; the API and the command line write 1000.
 */
export function createTranslator(
  language: Language,
  resources: Readonly<Partial<Record<Language, Resources>>>,
  counts?: Intl.NumberFormat,
): Translator {
  const i18n = createInstance()
  void i18n.init({
    lng: language,
    fallbackLng: 'en',
    resources,
    ns: Object.values(resources).flatMap(Object.keys),
    nsSeparator: '.',
    keySeparator: false,
    initAsync: false,
    // Values are text, not HTML; pages escape them themselves.
    interpolation: { escapeValue: false },
  })
  const between = language === 'ar' ? '، ' : ', '

  /** Plain values keep their own direction: Arabic isolates them. */
  const written = (value: string): string =>
    language === 'ar' && value !== '' ? `\u2068${visibleText(value)}\u2069` : visibleText(value)

  const valueOf = (value: TextValue): string => {
    if (typeof value !== 'object') return written(String(value))
    return 'code' in value ? textOf(value) : value.map(textOf).join(between)
  }

  function textOf(coded: CodedText): string {
    if (coded.code === 'text') return written(coded.text)
    const { code, ...parameters } = coded
    return textWith(code, parameters)
  }

  /** Texts without parameters, by their code: a page shows some of them hundreds of times. */
  const plainTexts = new Map<string, string>()

  function textWith(code: string, parameters: Readonly<Record<string, TextValue>> = {}): string {
    if (Object.keys(parameters).length > 0) return translate(code, parameters)
    const text = plainTexts.get(code) ?? translate(code, parameters)
    plainTexts.set(code, text)
    return text
  }

  function translate(code: string, parameters: Readonly<Record<string, TextValue>>): string {
    const values = Object.entries(parameters).map(([name, value]) => {
      if ((name === 'date' || name === 'month') && counts && typeof value === 'string' && ISO_DATE.test(value))
        return [name, dateInWords(value, language)]
      const format = name === 'count' ? counts : AMOUNTS.has(name) ? (counts ?? ENGLISH_AMOUNTS) : undefined
      return [name, format && !Number.isNaN(Number(value)) ? written(format.format(Number(value))) : valueOf(value)]
    })
    const count = 'count' in parameters ? { count: Number(parameters['count']) } : {}
    // `replace` keeps parameters apart from options of i18next; without `nest` nothing in a value is looked up.
    const text = i18n.t(code, { ...count, defaultValue: code, replace: Object.fromEntries(values), nest: false })
    return language === 'ar' ? withoutInnerMarks(text) : text
  }

  return {
    language,
    textOf,
    t: (code, ...[parameters]) => textWith(code, parameters),
    has: (code): code is PlainCode => i18n.exists(code),
    addTexts(more) {
      for (const [namespace, texts] of Object.entries(more)) i18n.addResourceBundle(language, namespace, texts)
      plainTexts.clear()
    },
  }
}
