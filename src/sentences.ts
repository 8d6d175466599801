/** Those of the dashboard's pages. The API, commands, logs and webhooks speak English. */
export const LANGUAGES = ['en', 'ar'] as const
export type Language = (typeof LANGUAGES)[number]

/** What is said, in each language. Whoever shows it chooses. */
export type Sentence = Readonly<Record<Language, string>>

/** What a sentence tells of: text that stands in it as it is, or a part that has its own words in each language. */
export type Fact = string | number | Sentence

type Template = Sentence & {
  /** Facts that are codes in English and words in Arabic, by the fact's name. */
  words?: Readonly<Record<string, Readonly<Record<string, string>>>>
}

type FactsIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | FactsIn<Rest> : never

/** Makes a sentence of facts. */
type Saying<Name extends string = string> = (facts: Readonly<Record<Name, Fact>>) => Sentence

type Sayings<Table> = {
  readonly [Key in keyof Table]: Table[Key] extends { en: infer En extends string }
    ? [FactsIn<En>] extends [never]
      ? Sentence
      : Saying<FactsIn<En>>
    : never
}

/** Both languages tell of the same facts. */
type SameFacts<Table> = {
  readonly [Key in keyof Table]: Table[Key] extends { en: infer En extends string; ar: infer Ar extends string }
    ? [FactsIn<En> | FactsIn<Ar>] extends [FactsIn<En> & FactsIn<Ar>]
      ? unknown
      : { ar: `tells of other facts than {${FactsIn<En>}}` }
    : never
}

/** Every template, for the test that walks them. */
export const declared: Template[] = []

/**
 * A table of what can be said, facts as {name}: `{ paused: { en: '{phone} is paused.', ar: '{phone} موقوف مؤقتًا.' } }`.
 * In Arabic each fact that is text is isolated: ids, numbers and times keep their own direction.
 */
export function sentences<const Table extends Readonly<Record<string, Template>>>(
  table: Table & SameFacts<Table>,
): Sayings<Table> {
  const all = Object.entries<Template>(table)
  declared.push(...all.map(([, template]) => template))
  return Object.fromEntries(all.map(([name, template]) => [name, sayingOf(template)])) as never
}

/** Sentences whose English alone goes on: it is stored, or goes through what knows texts only. readSentence finds them. */
export function keptSentences<const Table extends Readonly<Record<string, Template>>>(
  table: Table & SameFacts<Table>,
): Sayings<Table> {
  const sayings = sentences(table)
  for (const template of Object.values<Template>(table)) keep(template)
  return sayings
}

const kept = new Map<string, Sentence>()
/** The one with the most words of its own first: "{fact} days" before "{fact}". */
const keptWithFacts: { parts: readonly string[]; own: number; say: Saying }[] = []

function keep(template: Template): void {
  const { en, ar } = template
  const parts = en.split(FACT)
  if (parts.length === 1) {
    kept.set(en, { en, ar })
    return
  }
  const own = parts.reduce((length, part, place) => (place % 2 === 0 ? length + part.length : length), 0)
  keptWithFacts.push({ parts, own, say: withFacts(template) })
  keptWithFacts.sort((one, other) => other.own - one.own)
}

/** The kept sentence that this English is. What is in no table, such as one of another release, stays as it is. */
export const readSentence = (english: string): Sentence => findSentence(english) ?? asWritten(english)

/** Ours are shorter. Somebody else's text, however long, is not looked through for what it might hold. */
const SENTENCE_LENGTH_MOST = 2_000

export function findSentence(english: string): Sentence | undefined {
  const found = kept.get(english)
  if (found || english.length > SENTENCE_LENGTH_MOST) return found
  for (const { parts, say } of keptWithFacts) {
    const facts = factsIn(english, parts)
    // a fact may be a sentence itself
    if (facts) return say(Object.fromEntries(facts.map(([name, text]) => [name, findSentence(text) ?? text])))
  }
  return undefined
}

/** Text that is nobody's to translate, such as a name, a number or an address. */
export const asWritten = (text: string): Sentence => ({ en: text, ar: isolated(text) })

/** Somebody else's words: Arabic marks them. */
export const quoted = (words: string): Sentence => ({ en: words, ar: `«${isolated(words)}»` })

export const NOTHING_SAID: Sentence = { en: '', ar: '' }

export const joined = (all: readonly Sentence[], between: Sentence): Sentence => ({
  en: all.map(({ en }) => en).join(between.en),
  ar: all.map(({ ar }) => ar).join(between.ar),
})

const FACT = /\{([a-zA-Z]+)\}/

const sayingOf = (template: Template): Sentence | Saying => {
  const { en, ar } = template
  return FACT.test(en) ? withFacts(template) : { en, ar }
}

function withFacts({ en, ar, words = {} }: Template): Saying {
  const parts = { en: en.split(FACT), ar: ar.split(FACT) }
  return (facts) => ({
    en: filled(parts.en, (name) => inEnglish(facts[name] ?? '')),
    ar: filled(parts.ar, (name) => inArabic(facts[name] ?? '', words[name])),
  })
}

/** Odd places are names of facts. */
const filled = (parts: readonly string[], textOf: (name: string) => string): string =>
  parts.map((part, place) => (place % 2 === 0 ? part : textOf(part))).join('')

/**
 * The facts in a text that is made of these parts, each as short as it can be. One pass: a pattern would try all ways in
 * which somebody else's text might be one.
 */
function factsIn(text: string, [first = '', ...rest]: readonly string[]): [name: string, fact: string][] | undefined {
  if (!text.startsWith(first)) return undefined
  const facts: [string, string][] = []
  let from = first.length
  for (let place = 0; place < rest.length; place += 2) {
    const [name = '', after = ''] = rest.slice(place, place + 2)
    const isLast = place + 2 >= rest.length
    const to = isLast ? text.length - after.length : text.indexOf(after, from)
    if (to < from || !text.startsWith(after, to)) return undefined
    facts.push([name, text.slice(from, to)])
    from = to + after.length
  }
  return facts
}

const inEnglish = (fact: Fact): string => (typeof fact === 'object' ? fact.en : String(fact))

function inArabic(fact: Fact, words: Readonly<Record<string, string>> = {}): string {
  if (typeof fact === 'object') return fact.ar
  const text = String(fact)
  return Object.hasOwn(words, text) ? (words[text] ?? '') : isolated(text)
}

/** Unicode's isolates and overrides: one that came with the text would end ours. */
const DIRECTIONS = /[\u202a-\u202e\u2066-\u2069]/g

/** With a direction of its own, which its first letter decides. */
const isolated = (text: string): string => (text === '' ? '' : `\u2068${text.replaceAll(DIRECTIONS, '')}\u2069`)
