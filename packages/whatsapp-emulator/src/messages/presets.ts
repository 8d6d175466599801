import type { Behaviour, StepSeed } from './script.ts'

type Action = Extract<StepSeed['do'], readonly unknown[]>[number]
type Kind = NonNullable<StepSeed['when']>['kind']

const failure = <Ending extends string>(ending: Ending, name: string, behaviour: Behaviour) => {
  return { ending, name, behaviour }
}
const customer = <Ending extends string>(ending: Ending, name: string, ...steps: StepSeed[]) => {
  return { ending, name, steps }
}

const three = (...actions: Action[]): StepSeed => ({ when: { kind: 'template', replyButtons: 3 }, do: actions })
const two = (...actions: Action[]): StepSeed => ({ when: { kind: 'template', replyButtons: 2 }, do: actions })
const then = (kind: Kind, ...actions: Action[]): StepSeed => ({ follows: true, when: { kind }, do: actions })
const tap = (button: number, options: Partial<Action> = {}): Action => ({ tap: { button }, ...options })
const choose = (row: number, options: Partial<Action> = {}): Action => ({ choose: { row }, ...options })

/** Long enough for everything that the first answer triggers. */
const LATER = { afterMs: 30_000 }
const SLOWLY = { afterMs: 10_000 }
const HIDDEN = { hidePhone: true }

/**
 * Scripts that a sender gets by choosing the recipient: the last four digits decide. Scripts can also name one as their preset. The
 * README describes each.
 */
export const FAILURES = [
  failure('1026', 'not_on_whatsapp', { failed: 131026 }),
  failure('1049', 'held_back', { failed: 131049 }),
  failure('1016', 'outage', { failed: 131016 }),
  failure('1056', 'pair_limit', { error: 131056 }),
  failure('0429', 'throughput_limit', { error: 130429 }),
  failure('0500', 'server_error', { error: 131000 }),
  failure('0502', 'html_error', { html: { httpStatus: 502 } }),
  failure('0408', 'slow', { responseAfterMs: 8_000 }),
  failure('0440', 'drops_before', { connection: 'drop_before_accepting' }),
  failure('0441', 'drops_after', { connection: 'drop_after_accepting' }),
  failure('0600', 'never_delivered', { skip: ['delivered', 'read'] }),
  failure('0601', 'never_read', { skip: ['read'] }),
  failure('0602', 'delivered_skipped', { skip: ['delivered'] }),
  failure('0603', 'doubled_and_reversed', { copies: 2, reversed: true }),
  failure('0604', 'sent_then_failed', {
    statuses: [
      { status: 'sent', afterMs: 300 },
      { status: 'failed', afterMs: 1_000, errors: [131026] },
    ],
  }),
  failure('0605', 'has_username', { omit: ['recipient_id', 'wa_id'] }),
] as const

export const CUSTOMERS = [
  customer('0701', 'confirms', three(tap(0)), two(tap(1))),
  customer('0702', 'cancels', three(tap(1)), two(tap(0)), then('list', choose(0))),
  customer('0703', 'reschedules', three(tap(2)), then('buttons', tap(0)), then('buttons', tap(1)), two(tap(1))),
  customer(
    '0704',
    'reschedules_in_words',
    three(tap(2)),
    then('buttons', { text: 'Thursday after six, please' }),
    two(tap(0)),
    then('list', { text: 'The box was open', quote: true }),
  ),
  customer('0705', 'stops_halfway', three(tap(2)), two(tap(0))),
  customer('0706', 'never_answers', { do: 'read' }),
  customer(
    '0707',
    'confirms_then_cancels',
    three(tap(0), tap(1, LATER)),
    two(tap(1), tap(0, LATER)),
    then('list', choose(0)),
  ),
  customer('0708', 'answers_twice', three(tap(0, { copies: 2 }), tap(0)), two(tap(1, { copies: 2 }), tap(1))),
  customer('0709', 'refuses', three(tap(0)), two(tap(0)), then('list', choose(1))),
  customer(
    '0710',
    'refuses_in_words',
    three(tap(0)),
    two(tap(0)),
    then('list', choose(-1)),
    then('text', { text: 'My neighbour bought me the same one' }),
  ),
  customer('0711', 'denies', three(tap(0, SLOWLY)), two(tap(1, SLOWLY))),
  customer('0712', 'hides_the_number', three(tap(0, HIDDEN)), two(tap(0, HIDDEN)), then('list', choose(0, HIDDEN))),
] as const
