import assert from 'node:assert/strict'
import { inEnglish } from '../../locales/resources.ts'
import type { TimelineEntry } from '../../src/explain/entry.ts'
import { explain } from '../../src/explain/explain.ts'
import type { Parts } from '../../src/runtime/parts.ts'

type EnglishEntry = Pick<TimelineEntry, 'at' | 'what'> & { detail: string; [member: string]: unknown }

/** The output of `explain` in English. */
export async function explainInEnglish(parts: Parts, id: string) {
  const explanation = await explain(parts, id)
  if (!explanation) return undefined
  const { timeline, next } = explanation
  return {
    ...explanation,
    timeline: timeline.map(
      (entry): EnglishEntry => ({
        ...entry,
        at: entry.at,
        what: entry.what,
        detail: inEnglish(entry.detail),
      }),
    ),
    next: { ...next, sentence: inEnglish(next.sentence) },
  }
}

export type Explained = NonNullable<Awaited<ReturnType<typeof explainInEnglish>>>

/** The explanation of something that exists. */
export async function explained({ parts }: { parts: Parts }, id: string): Promise<Explained> {
  return (await explainInEnglish(parts, id)) ?? assert.fail(`nothing is known of ${id}`)
}
