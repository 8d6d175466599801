import type { StepSeed } from './steps.ts'

type Action = Extract<StepSeed['do'], readonly unknown[]>[number]
type Kind = NonNullable<StepSeed['when']>['kind']

/** `three` and `two`: what it does with a template of three quick replies, and with one of two. */
export type NamedCustomer = { name: string; ending: string; three: string; two: string; steps: readonly StepSeed[] }

const named = <Ending extends string>(ending: Ending, customer: Omit<NamedCustomer, 'ending'>) => ({
  ...customer,
  ending,
})

const three = (...actions: Action[]): StepSeed => ({ when: { kind: 'template', replyButtons: 3 }, do: actions })
const two = (...actions: Action[]): StepSeed => ({ when: { kind: 'template', replyButtons: 2 }, do: actions })
const then = (kind: Kind, ...actions: Action[]): StepSeed => ({ follows: true, when: { kind }, do: actions })
const tap = (button: number, options: Partial<Action> = {}): Action => ({ tap: { button }, ...options })
const choose = (row: number, options: Partial<Action> = {}): Action => ({ choose: { row }, ...options })

/** Long enough for everything that the first answer starts. */
const LATER = { afterMs: 30_000 }
const SLOWLY = { afterMs: 10_000 }
const HIDDEN = { hidePhone: true }

/** Customers that a sender gets by choosing the recipient: the last four digits decide. The README repeats this table. */
export const NAMED_CUSTOMERS = [
  named('0701', {
    name: 'confirms',
    three: 'Taps the first button after 3 s',
    two: 'Taps the second',
    steps: [three(tap(0)), two(tap(1))],
  }),
  named('0702', {
    name: 'cancels',
    three: 'Taps the second',
    two: 'Taps the first, then chooses the first row',
    steps: [three(tap(1)), two(tap(0)), then('list', choose(0))],
  }),
  named('0703', {
    name: 'reschedules',
    three: 'Taps the third, then the first button of the next question and the second of the one after',
    two: 'Taps the second',
    steps: [three(tap(2)), then('buttons', tap(0)), then('buttons', tap(1)), two(tap(1))],
  }),
  named('0704', {
    name: 'reschedules_in_words',
    three: 'Taps the third, then types a note instead of tapping',
    two: 'Taps the first, then types a note that quotes the list instead of choosing',
    steps: [
      three(tap(2)),
      then('buttons', { text: 'Thursday after six, please' }),
      two(tap(0)),
      then('list', { text: 'The box was open', quote: true }),
    ],
  }),
  named('0705', {
    name: 'stops_halfway',
    three: 'Taps the third and never goes on',
    two: 'Taps the first and never goes on',
    steps: [three(tap(2)), two(tap(0))],
  }),
  named('0706', {
    name: 'never_answers',
    three: 'Reads, never answers',
    two: 'Reads, never answers',
    steps: [{ do: 'read' }],
  }),
  named('0707', {
    name: 'confirms_then_cancels',
    three: 'Taps the first and, 30 s later, the second of the same message',
    two: 'Taps the second and, 30 s later, the first; then chooses the first row',
    steps: [three(tap(0), tap(1, LATER)), two(tap(1), tap(0, LATER)), then('list', choose(0))],
  }),
  named('0708', {
    name: 'answers_twice',
    three: 'Taps the first, whose webhook comes twice with one id, and taps it again with another id',
    two: 'The same with the second',
    steps: [three(tap(0, { copies: 2 }), tap(0)), two(tap(1, { copies: 2 }), tap(1))],
  }),
  named('0709', {
    name: 'refuses',
    three: 'Taps the first',
    two: 'Taps the first, then chooses the second row',
    steps: [three(tap(0)), two(tap(0)), then('list', choose(1))],
  }),
  named('0710', {
    name: 'refuses_in_words',
    three: 'Taps the first',
    two: 'Taps the first, chooses the last row, then types a note',
    steps: [
      three(tap(0)),
      two(tap(0)),
      then('list', choose(-1)),
      then('text', { text: 'My neighbour bought me the same one' }),
    ],
  }),
  named('0711', {
    name: 'denies',
    three: 'Taps the first after 10 s',
    two: 'Taps the second after 10 s',
    steps: [three(tap(0, SLOWLY)), two(tap(1, SLOWLY))],
  }),
  named('0712', {
    name: 'hides_the_number',
    three: 'Taps the first; the webhook has no `from`',
    two: 'Taps the first, then chooses the first row; the webhooks have no `from`',
    steps: [three(tap(0, HIDDEN)), two(tap(0, HIDDEN)), then('list', choose(0, HIDDEN))],
  }),
] as const
