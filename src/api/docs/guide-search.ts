import { type Guide, INDEX, type Section, guidePath } from './guides.ts'

/** Longer texts are cut. */
export const MAX_QUERY_LENGTH = 100
const MAX_WORDS = 10
const MAX_RESULTS = 20
/** Shorter words, such as "a" and "do", are in every section. */
const MIN_WORD_LENGTH = 3
/** Endings of shorter words are part of the word. */
const MIN_STEM_LENGTH = 4
const MAX_EXCERPT_LENGTH = 160
/** Pages of this group of the index are for few readers. */
const INTERNALS = 'Internals'
const WEIGHT_OF_INTERNALS = 0.5

/** `excerpt`: a line of the section that has words of the query, else its beginning; empty for a section of code only. */
export type Found = { title: string; heading: string; path: string; excerpt: string }

/**
 * The sections that fit the words of the query best. A word in a heading counts more than one below it, and a word that few
 * sections have more than one that many have. A page or section is also found by what the index of all guides says about it.
 */
export function searchGuides(guides: readonly Guide[], query: string): Found[] {
  const words = wordsOf(query.slice(0, MAX_QUERY_LENGTH))
  const index = readIndex(guides.find(({ name }) => name === INDEX))
  const places = guides
    .filter(({ name }) => name !== INDEX)
    .flatMap((guide) => guide.sections.map((section) => placeOf(guide, section, index)))
  const scores = new Map<Place, number>()
  for (const word of words) {
    const hits = places
      .map((place) => ({
        place,
        hit: Math.max(...place.parts.map(([weight, text]) => (word.test(text) ? weight : 0))),
      }))
      .filter(({ hit }) => hit > 0)
    const rarity = Math.log(1 + places.length / hits.length)
    for (const { place, hit } of hits) scores.set(place, (scores.get(place) ?? 0) + hit * rarity * place.weight)
  }
  return [...scores]
    .sort(([, one], [, other]) => other - one)
    .slice(0, MAX_RESULTS)
    .map(([{ title, heading, path, text }]) => ({ title, heading, path, excerpt: excerptOf(text, words) }))
}

type Place = {
  title: string
  heading: string
  path: string
  text: string
  parts: readonly (readonly [weight: number, text: string])[]
  weight: number
}

function placeOf({ name, title }: Guide, { anchor, heading, text, lowerCase }: Section, index: Index): Place {
  const isPage = anchor === ''
  const path = guidePath(name) + (anchor && `#${anchor}`)
  return {
    title,
    heading,
    path,
    text,
    parts: [
      [isPage ? 6 : 4, heading.toLowerCase()],
      [isPage ? 4 : 5, index.purposes.get(path) ?? ''],
      [isPage ? 0 : 2, title.toLowerCase()],
      [1, lowerCase],
    ],
    weight: index.internals.has(guidePath(name)) ? WEIGHT_OF_INTERNALS : 1,
  }
}

type Index = { purposes: ReadonlyMap<string, string>; internals: ReadonlySet<string> }

/**
 * What the rows of the index say about each page or section: `| use PgBouncer | [PgBouncer and other poolers](pgbouncer.md) |`.
 */
function readIndex(index: Guide | undefined): Index {
  const purposes = new Map<string, string>()
  const internals = new Set<string>()
  for (const group of index?.source.split(/^## /m) ?? [])
    for (const [, purpose = '', links = ''] of group.matchAll(/^\| (.*?) \| (.*\]\(.*) \|$/gm))
      for (const [, page = '', anchor = ''] of links.matchAll(/\]\((\/docs\/guides\/[a-z-]+)\.md(#[^)]*)?\)/g)) {
        purposes.set(page + anchor, `${purposes.get(page + anchor) ?? ''} ${purpose.toLowerCase()}`)
        if (group.startsWith(INTERNALS)) internals.add(page)
      }
  return { purposes, internals }
}

/** The paragraph, item or row with the most words of the query, cut around the first of them. */
function excerptOf(text: string, words: readonly RegExp[]): string {
  const lines = linesOf(text)
  const countIn = (line: string): number => words.filter((word) => word.test(line.toLowerCase())).length
  const most = Math.max(...lines.map(countIn))
  const best = lines.find((line) => countIn(line) === most) ?? ''
  if (best.length <= MAX_EXCERPT_LENGTH) return best
  const places = words.map((word) => best.toLowerCase().search(word)).filter((place) => place >= 0)
  const first = Math.min(...places, best.length)
  const from = first === best.length ? 0 : Math.max(0, Math.min(first - 40, best.length - MAX_EXCERPT_LENGTH))
  const start = from === 0 ? 0 : best.indexOf(' ', from) + 1
  const cut = best.slice(start, start + MAX_EXCERPT_LENGTH)
  const end = start + MAX_EXCERPT_LENGTH < best.length ? cut.lastIndexOf(' ') : cut.length
  return `${start > 0 ? '… ' : ''}${cut.slice(0, end)}${end < cut.length || start + cut.length < best.length ? ' …' : ''}`
}

/** Paragraphs, items and rows without their Markdown; code is left out. */
const linesOf = (text: string): string[] =>
  text
    .replaceAll(/^ *```[^]*?^ *```/gm, '')
    .split(/\n{2,}|\n(?=\||- |\d+\. )/)
    .filter((block) => !/^\|[-| ]+\|$/.test(block.trim()))
    .map((block) =>
      block
        .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .replaceAll(/[`*]|^\s*(?:- |\d+\. |\| )| \|$/g, '')
        .replaceAll(/ \| /g, ' · ')
        .replaceAll(/\\\|/g, '|')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    )
    .filter((line) => line !== '')

/** As patterns: `verify` also finds "verifying", but `node` does not find "anode". */
function wordsOf(query: string): RegExp[] {
  const words = query.toLowerCase().match(/[\p{Letter}\p{Number}_]+/gu) ?? []
  const meant = words
    .flatMap(withParts)
    .filter((word) => word.length >= MIN_WORD_LENGTH && !COMMON.has(word))
    .map(stemOf)
  return [...new Set(meant)].slice(0, MAX_WORDS).map((word) => new RegExp(`(?<![\\p{Letter}\\p{Number}])${word}`, 'u'))
}

/** A guessed code, such as `template_not_approved`, also finds what has its words. */
const withParts = (word: string): string[] => (word.includes('_') ? [word, ...word.split('_')] : [word])

function stemOf(word: string): string {
  const stem = word.replace(/(?:ing|ed|es|s|y|e)$/, '')
  return stem.length >= MIN_STEM_LENGTH ? stem : word
}

const COMMON = new Set(
  'and are can did does find for from get happen happens has have how into make mean means need not per run that the this use was what when where which who why will with you your'.split(
    ' ',
  ),
)
