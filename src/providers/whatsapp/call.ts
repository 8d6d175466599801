import { keptSentences } from '../../sentences.ts'
import { type ProviderAccount, ProviderRefused, ProviderUnreachable } from '../provider.ts'
import { readAnswerError } from './errors.ts'
import type { Graph, GraphRequest } from './graph.ts'
import { type JsonObject, objectOf, readObject } from './json.ts'
import { withoutToken } from './mask.ts'

const details = keptSentences({
  notFromGraph: { en: 'HTTP {httpStatus} without a Graph answer', ar: 'الرد {httpStatus} وليس من واجهة واتساب' },
})

const TIMEOUT_MS = 30_000
/** A page of 100 templates with ten buttons each stays below 1 MB. */
const ANSWER_BYTES_MOST = 8 * 1024 * 1024

export type Call = { what: string } & Pick<GraphRequest, 'method' | 'path' | 'body'>

/** A call that manages an account, as opposed to one that sends. Throws ProviderRefused or ProviderUnreachable. */
export async function call(graph: Graph, account: ProviderAccount, { what, ...request }: Call): Promise<JsonObject> {
  const answer = await graph.ask(account, { ...request, timeoutMs: TIMEOUT_MS, answerBytesMost: ANSWER_BYTES_MOST })
  if (answer.outcome !== 'answered')
    throw new ProviderUnreachable(what, answer.detail, { mayHaveArrived: answer.outcome === 'unknown' })
  const { httpStatus } = answer
  const body = readObject(answer.body)
  if (body && httpStatus >= 200 && httpStatus < 300) return body
  if (!objectOf(body?.error))
    throw new ProviderUnreachable(what, details.notFromGraph({ httpStatus }).en, { mayHaveArrived: true })
  const mask = (text: string): string => withoutToken(text, account.accessToken)
  throw new ProviderRefused(what, readAnswerError(body, { httpStatus, mask }))
}
