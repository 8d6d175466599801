import { type Guide, guidePath } from './guides.ts'

/** Longer texts are cut. */
export const MAX_QUERY_LENGTH = 100
const MAX_WORDS = 10
const MAX_RESULTS = 20
/** Shorter words, such as "a" and "do", are in every section. */
const MIN_WORD_LENGTH = 3

export type Found = { title: string; heading: string; path: string }

/** The sections that fit the words of the query best: words in a heading count more than words below it. */
export function searchGuides(guides: readonly Guide[], query: string): Found[] {
  const words = wordsOf(query.slice(0, MAX_QUERY_LENGTH))
  const found = guides.flatMap((guide) =>
    guide.sections.map(({ anchor, heading, text }) => ({
      found: { title: guide.title, heading, path: guidePath(guide.name) + (anchor && `#${anchor}`) },
      score: words.reduce((sum, word) => sum + scoreOf(word, { title: guide.title, heading, text }), 0),
    })),
  )
  return found
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, MAX_RESULTS)
    .map((each) => each.found)
}

const wordsOf = (query: string): string[] => {
  const words = query.toLowerCase().match(/[\p{Letter}\p{Number}_]+/gu) ?? []
  return [...new Set(words)].filter((word) => word.length >= MIN_WORD_LENGTH && !COMMON.has(word)).slice(0, MAX_WORDS)
}

const COMMON = new Set(['and', 'are', 'can', 'does', 'for', 'from', 'how', 'the', 'what', 'when', 'why', 'with'])

function scoreOf(word: string, { title, heading, text }: { title: string; heading: string; text: string }): number {
  const isIn = (part: string): boolean => part.toLowerCase().includes(word)
  return (isIn(heading) ? 4 : 0) + (isIn(title) ? 2 : 0) + (text.includes(word) ? 1 : 0)
}
