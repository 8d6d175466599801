import { stepSchema } from './customer-steps.ts'
import type { Step, StepSeed } from './customer-steps.ts'

export type NamedCustomer = {
  name: string
  ending: string
  /** What it does with a template of three quick replies, and with one of two. */
  three: string
  two: string
  steps: readonly StepSeed[]
}

const THREE = { kind: 'template', replyButtons: 3 } as const
const TWO = { kind: 'template', replyButtons: 2 } as const
const BUTTONS = { kind: 'buttons' } as const
const LIST = { kind: 'list' } as const
const TEXT = { kind: 'text' } as const

/** Long enough that whatever the first answer set going is over. */
const CHANGE_OF_MIND_MS = 30_000

const tap = (button: number) => ({ tap: { button } })
const choose = (row: number) => ({ choose: { row } })

/** People to be had by only choosing the recipient: the last four digits decide. The README repeats this table. */
export const NAMED_CUSTOMERS: readonly NamedCustomer[] = [
  {
    name: 'confirms',
    ending: '0701',
    three: 'Taps the first button after 3 s',
    two: 'Taps the second',
    steps: [
      { when: THREE, do: [tap(0)] },
      { when: TWO, do: [tap(1)] },
    ],
  },
  {
    name: 'cancels',
    ending: '0702',
    three: 'Taps the second',
    two: 'Taps the first, then chooses the first row',
    steps: [
      { when: THREE, do: [tap(1)] },
      { when: TWO, do: [tap(0)] },
      { follows: true, when: LIST, do: [choose(0)] },
    ],
  },
  {
    name: 'reschedules',
    ending: '0703',
    three: 'Taps the third, then the first button of the next question and the second of the one after',
    two: 'Taps the second',
    steps: [
      { when: THREE, do: [tap(2)] },
      { follows: true, when: BUTTONS, do: [tap(0)] },
      { follows: true, when: BUTTONS, do: [tap(1)] },
      { when: TWO, do: [tap(1)] },
    ],
  },
  {
    name: 'reschedules_in_words',
    ending: '0704',
    three: 'Taps the third, then types a note instead of tapping',
    two: 'Taps the first, then types a note that quotes the list instead of choosing',
    steps: [
      { when: THREE, do: [tap(2)] },
      { follows: true, when: BUTTONS, do: [{ text: 'Thursday after six, please' }] },
      { when: TWO, do: [tap(0)] },
      { follows: true, when: LIST, do: [{ text: 'The box was open', quote: true }] },
    ],
  },
  {
    name: 'stops_halfway',
    ending: '0705',
    three: 'Taps the third and never goes on',
    two: 'Taps the first and never goes on',
    steps: [
      { when: THREE, do: [tap(2)] },
      { when: TWO, do: [tap(0)] },
    ],
  },
  {
    name: 'never_answers',
    ending: '0706',
    three: 'Reads, never answers',
    two: 'Reads, never answers',
    steps: [{ do: 'read' }],
  },
  {
    name: 'confirms_then_cancels',
    ending: '0707',
    three: 'Taps the first and, 30 s later, the second of the same message',
    two: 'Taps the second and, 30 s later, the first; then chooses the first row',
    steps: [
      { when: THREE, do: [tap(0), { ...tap(1), afterMs: CHANGE_OF_MIND_MS }] },
      { when: TWO, do: [tap(1), { ...tap(0), afterMs: CHANGE_OF_MIND_MS }] },
      { follows: true, when: LIST, do: [choose(0)] },
    ],
  },
  {
    name: 'answers_twice',
    ending: '0708',
    three: 'Taps the first, which is told twice with one id, and taps it again, which has another',
    two: 'The same with the second',
    steps: [
      { when: THREE, do: [{ ...tap(0), copies: 2 }, tap(0)] },
      { when: TWO, do: [{ ...tap(1), copies: 2 }, tap(1)] },
    ],
  },
  {
    name: 'refuses',
    ending: '0709',
    three: 'Taps the first',
    two: 'Taps the first, then chooses the second row',
    steps: [
      { when: THREE, do: [tap(0)] },
      { when: TWO, do: [tap(0)] },
      { follows: true, when: LIST, do: [choose(1)] },
    ],
  },
  {
    name: 'refuses_in_words',
    ending: '0710',
    three: 'Taps the first',
    two: 'Taps the first, chooses the last row, then types a note',
    steps: [
      { when: THREE, do: [tap(0)] },
      { when: TWO, do: [tap(0)] },
      { follows: true, when: LIST, do: [choose(-1)] },
      { follows: true, when: TEXT, do: [{ text: 'My neighbour bought me the same one' }] },
    ],
  },
  {
    name: 'denies',
    ending: '0711',
    three: 'Taps the first after 10 s',
    two: 'Taps the second after 10 s',
    steps: [
      { when: THREE, do: [{ ...tap(0), afterMs: 10_000 }] },
      { when: TWO, do: [{ ...tap(1), afterMs: 10_000 }] },
    ],
  },
  {
    name: 'hides_the_number',
    ending: '0712',
    three: 'Taps the first; the webhook has no `from`',
    two: 'Taps the first, then chooses the first row; the webhooks have no `from`',
    steps: [
      { when: THREE, do: [{ ...tap(0), hidePhone: true }] },
      { when: TWO, do: [{ ...tap(0), hidePhone: true }] },
      { follows: true, when: LIST, do: [{ ...choose(0), hidePhone: true }] },
    ],
  },
]

export function stepsOf({ steps }: NamedCustomer): Step[] {
  return steps.map((step) => stepSchema.parse(step))
}
