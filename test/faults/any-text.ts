import * as fc from 'fast-check'

const SURROGATES = { from: 0xd800, count: 0x800 }
const MAX_CODE_POINT = 0x10ffff

/** Any character, like the unit 'binary' of fast-check, which takes a second to list all of Unicode first. */
const character = fc.integer({ min: 0, max: MAX_CODE_POINT - SURROGATES.count }).map(
  (index) => String.fromCodePoint(index < SURROGATES.from ? index : index + SURROGATES.count),
  (text) => {
    const codePoint = typeof text === 'string' ? text.codePointAt(0) : undefined
    if (codePoint === undefined || text !== String.fromCodePoint(codePoint)) throw new Error('no single character')
    if (codePoint < SURROGATES.from) return codePoint
    if (codePoint < SURROGATES.from + SURROGATES.count) throw new Error('half a character')
    return codePoint - SURROGATES.count
  },
)

/** Any text, sometimes the name of a member of all objects, such as `__proto__`. */
export const anyText = fc.string({ unit: character })

/** Any JSON value, like `fc.jsonValue` with such texts. */
export const anyJson = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom(null, true, false),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    anyText,
    fc.array(tie('value')),
    fc.dictionary(anyText, tie('value')),
  ),
})).value
