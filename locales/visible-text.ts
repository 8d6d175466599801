/**
 * Unicode's control characters, its two other line ends, and what changes the direction of text that follows. Not the marks
 * that only act as a letter of their script would: amounts in Arabic have them.
 */
const INVISIBLE = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu

/**
 * The text on one line, safe to print: a terminal or a page would act on these characters, so that a customer's note
 * could add lines of its own, clear the screen or reverse the line. A line end is shown as ⏎, any other as \u001b.
 */
export const visibleText = (text: string): string => trimmedLines(text).join(' ⏎ ').replaceAll(INVISIBLE, escaped)

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** JSON that is safe to print and means the same: the invisible characters of its texts are escaped. */
export const visibleJson = (value: unknown): string =>
  JSON.stringify(value, null, 2).replaceAll(INVISIBLE, (character) =>
    character === '\n' ? character : escaped(character),
  )

/** Without the spaces around line ends. No pattern: it would try each space of a long run again, and strangers send names of a megabyte. */
const trimmedLines = (text: string): string[] =>
  text.split('\n').map((line, index, { length }) => {
    const started = index > 0 ? line.trimStart() : line
    return index < length - 1 ? started.trimEnd() : started
  })

/**
 * Whether the text needs no such change: the rule for every name that people choose. It may have the joiners of Arabic and
 * Persian, which change no direction.
 */
export const isOneVisibleLine = (text: string): boolean => visibleText(text) === text && !/\p{Bidi_Control}/u.test(text)

/** Some letters and symbols of Unicode are invisible. */
const VISIBLE = /[^\s\p{Cc}\p{Default_Ignorable_Code_Point}\u2800]/u

export const isBlank = (text: string): boolean => !VISIBLE.test(text)

/** `visibleText` for text with line breaks of our own. */
export const visibleLines = (text: string): string => text.split('\n').map(visibleText).join('\n')

/** The same value with each text in it, at any depth, made visible. */
export function withVisibleTexts<Value>(value: Value): Value
export function withVisibleTexts(value: unknown): unknown {
  if (typeof value === 'string') return visibleText(value)
  if (Array.isArray(value)) return value.map((each: unknown) => withVisibleTexts(each))
  if (!isPlainObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [visibleText(name), withVisibleTexts(each)]))
}

/** Dates stay what they are. */
const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
