import { type Guide, INDEX, type Section, guidePath } from './guides.ts'

/** Longer texts are cut. */
export const MAX_QUERY_LENGTH = 100
const MAX_WORDS = 10
const MAX_RESULTS = 20
/** Shorter words, such as "a" and "do", are in every section. */
const MIN_WORD_LENGTH = 3
/** Endings of shorter words are part of the word. */
const MIN_STEM_LENGTH = 4

export type Found = { title: string; heading: string; path: string }

/**
 * The sections that fit the words of the query best. A word in a heading counts more than one below it, and a word that few
 * sections have more than one that many have. A page is also found by what the index of all guides says about it.
 */
export function searchGuides(guides: readonly Guide[], query: string): Found[] {
  const words = wordsOf(query.slice(0, MAX_QUERY_LENGTH))
  const purposes = purposesOf(guides.find(({ name }) => name === INDEX))
  const sections = guides
    .filter(({ name }) => name !== INDEX)
    .flatMap((guide) => guide.sections.map((section) => placeOf(guide, section, purposes.get(guidePath(guide.name)))))
  const scores = new Map<Found, number>()
  for (const word of words) {
    const hits = sections
      .map(({ found, parts }) => ({
        found,
        hit: Math.max(...parts.map(([weight, text]) => (word.test(text) ? weight : 0))),
      }))
      .filter(({ hit }) => hit > 0)
    const rarity = Math.log(1 + sections.length / hits.length)
    for (const { found, hit } of hits) scores.set(found, (scores.get(found) ?? 0) + hit * rarity)
  }
  return [...scores]
    .sort(([, one], [, other]) => other - one)
    .slice(0, MAX_RESULTS)
    .map(([found]) => found)
}

type Place = { found: Found; parts: readonly (readonly [weight: number, text: string])[] }

function placeOf({ name, title }: Guide, { anchor, heading, text }: Section, purpose = ''): Place {
  const isPage = anchor === ''
  return {
    found: { title, heading, path: guidePath(name) + (anchor && `#${anchor}`) },
    parts: [
      [isPage ? 6 : 4, heading.toLowerCase()],
      [isPage ? 4 : 0, purpose],
      [isPage ? 0 : 2, title.toLowerCase()],
      [1, text],
    ],
  }
}

/** What the rows of the index say about each page: `| use PgBouncer | [PgBouncer and other poolers](pgbouncer.md) |`. */
function purposesOf(index: Guide | undefined): Map<string, string> {
  const purposes = new Map<string, string>()
  for (const [, purpose = '', links = ''] of index?.source.matchAll(/^\| (.*?) \| (.*\]\(.*) \|$/gm) ?? [])
    for (const [, path = ''] of links.matchAll(/\]\((\/docs\/guides\/[a-z-]+)\.md[^)]*\)/g))
      purposes.set(path, `${purposes.get(path) ?? ''} ${purpose.toLowerCase()}`)
  return purposes
}

/** As patterns: `verify` also finds "verifying", but `node` does not find "anode". */
function wordsOf(query: string): RegExp[] {
  const words = query.toLowerCase().match(/[\p{Letter}\p{Number}_]+/gu) ?? []
  const meant = words.filter((word) => word.length >= MIN_WORD_LENGTH && !COMMON.has(word)).map(stemOf)
  return [...new Set(meant)].slice(0, MAX_WORDS).map((word) => new RegExp(`(?<![\\p{Letter}\\p{Number}])${word}`, 'u'))
}

function stemOf(word: string): string {
  const stem = word.replace(/(?:ing|ed|es|s|y|e)$/, '')
  return stem.length >= MIN_STEM_LENGTH ? stem : word
}

const COMMON = new Set(
  'and are can did does find for from get happen happens has have how into make mean means need not run that the this use was what when where which who why will with you your'.split(
    ' ',
  ),
)
