import type { Message } from '../messages/messages.ts'
import type { Action } from '../messages/script.ts'
import type { Script } from '../messages/scripts.ts'
import type { Parts } from '../parts.ts'
import { receive } from './inbound.ts'

/** The customer's next actions on a message. */
type Answer = { script: Script; message: Message; actions: readonly Action[] }
type SavedAnswer = Omit<Answer, 'message'> & { message: string }

/** Answers messages by the steps of scripts. */
export function defineAnswers(parts: Parts): void {
  const { messages, scripts, timers } = parts
  timers.define<Answer, SavedAnswer>('answer', {
    run: (answer) => void act(parts, answer),
    due: ({ script, message: { waId, phoneNumberId: number } }) => {
      return { kind: 'answer', what: script.id, phone: waId === undefined ? null : `+${waId}`, number }
    },
    toRow: (answer) => messages.toRow(answer),
    fromRow: (row) => {
      const answer = messages.fromRow(row)
      return answer && { ...answer, script: scripts.restored(answer.script) }
    },
  })
  parts.delivery.onArrival((message) => {
    const cue = scripts.takeStep(message)
    if (cue === undefined) return
    const { script, step } = cue
    if (step.do === 'ignore') message.ignored = true
    else if (step.do !== 'read') planAnswer(parts, { script, message, actions: step.do })
  })
}

/** Plans the next action after the customer's thinking time. */
function planAnswer(parts: Parts, answer: Answer): void {
  const [action] = answer.actions
  if (action !== undefined) parts.timers.after(action.afterMs, { kind: 'answer', data: answer })
}

/** Each action waits for the answer to the previous one: posted together they could overtake each other. */
async function act(parts: Parts, answer: Answer): Promise<void> {
  const { messages, scripts, timers } = parts
  const next = { ...answer, actions: answer.actions.slice(1) }
  const turn = scripts.begin({
    script: answer.script,
    next: () => {
      const [data, [action]] = [messages.toRow(next), next.actions]
      return data && action && { afterMs: timers.scaled(action.afterMs), plan: { kind: 'answer', data } }
    },
  })
  await write(parts, answer)
  if (scripts.isActing(turn)) planAnswer(parts, next)
  scripts.end(turn)
}

async function write(parts: Parts, { script, message, actions: [action] }: Answer): Promise<void> {
  if (action === undefined) return
  const { afterMs: _thought, quote, tap, choose, ...rest } = action
  try {
    const seed = {
      ...rest,
      from: message.waId ?? '',
      to: message.phoneNumberId,
      tap: tap && { message: message.id, ...tap },
      choose: choose && { message: message.id, ...choose },
      quote: quote && message.id,
    }
    await receive(parts, seed, script.id)
  } catch (fault) {
    // No request waits for this: the fault goes to the log and to the list of scripts.
    const what = `${message.to}: ${fault instanceof Error ? fault.message : String(fault)}`
    parts.log(`${script.id} could not answer as ${what}`)
    parts.scripts.noteFault(script, what)
  }
}
