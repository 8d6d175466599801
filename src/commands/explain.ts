import { type Explanation, explain } from '../explain/explain.ts'
import { asWritten } from '../sentences.ts'
import { SetupRefused } from '../setup-refused.ts'
import { command, required } from './command.ts'
import { uuid } from './inputs.ts'

export const explainCommand = command({
  words: 'explain',
  summary: 'Tell everything known about a confirmation, a message or an event, in order, and who must act now.',
  argument: { name: 'id', ...required(uuid('ID')) },
  changes: false,
  async run(parts, { argument }) {
    const explanation = await explain(parts, argument)
    if (!explanation)
      throw new SetupRefused(asWritten(`No confirmation, message or event has the id ${argument}.`), 'NOT_FOUND')
    return explanation
  },
  tell: tellExplanation,
})

const WHAT_WIDTH = 'customer'.length

function tellExplanation({ id, kind, messageId, confirmationId, status, timeline, next }: Explanation): string {
  const lines = timeline.map(({ at, what, detail }) => `${at}  ${what.padEnd(WHAT_WIDTH)}  ${detail}`)
  const of =
    kind === 'confirmation' || (kind === 'message' && confirmationId === null) ? '' : ownerOf(confirmationId, messageId)
  const title = `${kind[0]?.toUpperCase()}${kind.slice(1)} ${id}${of}: ${status}`
  return [title, '', ...lines, '', next.sentence].join('\n')
}

function ownerOf(confirmationId: string | null, messageId: string | null): string {
  if (confirmationId !== null) return ` of confirmation ${confirmationId}`
  return messageId === null ? '' : ` of message ${messageId}`
}
