import { type Explanation, explain } from '../../explain/explain.ts'
import type { NextAction } from '../../explain/next-action.ts'
import type { Parts } from '../../runtime/parts.ts'
import { inEnglish } from '../../../locales/resources.ts'
import { timeOfId } from '../../lib/ids.ts'
import { findKeptSince } from '../../operations/lifecycle/retention/kept-since.ts'
import { command, notFound } from '../command.ts'
import { argument, uuid } from '../inputs.ts'

export const explainCommand = command({
  words: 'explain',
  example: '01a1fa06-709a-73f6-8b1e-b4852403567f',
  summary: 'Show everything known about a confirmation, a message or an event, in order, and who must act now.',
  options: { id: argument(uuid('The id of a confirmation, a message or an event.')) },
  async run(parts, { id }) {
    const explanation = await explain(parts, id)
    if (!explanation) {
      const { records } = await findKeptSince(parts.db)
      throw notFound(`No confirmation, message or event has the id ${id}. ${reasonFor(id, records)}`)
    }
    return explanation
  },
  format: formatExplanation,
})

const OTHER_REASONS =
  'Its sandbox may have been emptied, its workspace may have been deleted, or it may belong to another instance.'

function reasonFor(id: string, keptSince: Date | null): string {
  if (keptSince === null) return `${OTHER_REASONS} Apart from that, this instance has removed no records.`
  const since = keptSince.toISOString()
  return timeOfId(id) < keptSince
    ? `Records before ${since} were removed.`
    : `${OTHER_REASONS} Apart from that, this instance has all records since ${since}.`
}

const WHAT_WIDTH = 'customer'.length

/** Other sentences name who acts. */
const ADDRESSED: Readonly<Partial<Record<NextAction['who'], string>>> = {
  client: 'Your backend: ',
  operator: 'Operator: ',
}

function formatExplanation(explanation: Explanation, { config }: Pick<Parts, 'config'>): string {
  const { id, kind, messageId, confirmationId, status, failureCode, timeline, next } = explanation
  const lines = timeline.map(({ at, what, detail }) => `${at}  ${what.padEnd(WHAT_WIDTH)}  ${inEnglish(detail)}`)
  const owner =
    kind === 'confirmation' || (kind === 'message' && confirmationId === null) ? '' : ownerOf(confirmationId, messageId)
  const title = `${kind[0]?.toUpperCase()}${kind.slice(1)} ${id}${owner}: ${status}`
  const page = failureCode === null ? [] : [`About ${failureCode}: ${config.publicUrl}/problems/${failureCode}`]
  return [title, '', ...lines, '', `${ADDRESSED[next.who] ?? ''}${inEnglish(next.sentence)}`, ...page].join('\n')
}

function ownerOf(confirmationId: string | null, messageId: string | null): string {
  if (confirmationId !== null) return ` of confirmation ${confirmationId}`
  return messageId === null ? '' : ` of message ${messageId}`
}
