import { type Explanation, explain } from '../explain/explain.ts'
import { SetupRefused } from '../setup-refused.ts'
import { command, required } from './command.ts'
import { uuid } from './inputs.ts'

export const explainCommand = command({
  words: 'explain',
  summary: 'Tell everything known about a message or an event, in order, and who must act now.',
  argument: { name: 'id', ...required(uuid('ID')) },
  async run(parts, { argument }) {
    const explanation = await explain(parts, argument)
    if (!explanation) throw new SetupRefused(`No message and no event has the id ${argument}.`)
    return explanation
  },
  tell: tellExplanation,
})

const WHAT_WIDTH = 'request'.length

function tellExplanation({ id, kind, messageId, status, timeline, next }: Explanation): string {
  const title =
    kind === 'message'
      ? `Message ${id}: ${status}`
      : messageId
        ? `Event ${id} of message ${messageId}: ${status}`
        : `Event ${id}: ${status}`
  const lines = timeline.map(({ at, what, detail }) => `${at}  ${what.padEnd(WHAT_WIDTH)}  ${detail}`)
  return [title, '', ...lines, '', next.sentence].join('\n')
}
