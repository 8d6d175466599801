import { z } from 'zod'
import { transactionWithEvents } from '../../events/record.ts'
import type { Sql } from '../../lib/db/pool.ts'
import type { WorkName } from '../../runtime/jobs/wake.ts'
import type { Parts } from '../../runtime/parts.ts'
import { type Actor, type Change, audit } from '../audit/audit.ts'
import type { MemberRole } from '../auth/members.ts'

/** A signed-in person or the command line, with the program's parts. */
export type Operator = Parts & { actor: Actor }

export type ActionInput<Input extends z.ZodObject> = z.output<Input> & { workspaceId: string }

/** What an operator can do in a workspace. The dashboard's calls and the commands perform it. */
export type Action<Input extends z.ZodObject, Result> = {
  minRole: MemberRole
  /** Without the workspace, which is added to every action's input. */
  input: Input
  run: (operator: Operator, input: ActionInput<Input>) => Promise<Result>
  /** The work that the action makes due. */
  wakes?: WorkName | undefined
}

/** An action that pages do not offer. */
export const onlyForCommands = <Each extends object>(action: Each) => ({ ...action, onlyForCommands: true as const })

/** The input of an action that needs only the workspace. */
export const workspaceOnly = z.object({ workspaceId: z.uuid() })

/** An action that asks DNS or WhatsApp before its `commit`, or works in many transactions after it. */
export const action = <Input extends z.ZodObject, Result>(
  minRole: MemberRole,
  input: Input,
  run: Action<Input, Result>['run'],
  wakes?: WorkName,
): Action<Input, Result> => ({ minRole, input, run, wakes })

/** Has no pool, so that every statement runs in the transaction. */
export type ChangeContext = Omit<Operator, 'db'> & { tx: Sql; record: RecordEntry }

/** An action that is a single transaction. */
export const change = <Input extends z.ZodObject, Result>(
  minRole: MemberRole,
  input: Input,
  make: (context: ChangeContext, input: ActionInput<Input>) => Promise<Result>,
  wakes?: WorkName,
): Action<Input, Result> =>
  action(
    minRole,
    input,
    (operator, given) => commit(operator, given.workspaceId, (tx, record) => make({ ...operator, tx, record }, given)),
    wakes,
  )

export async function perform<Input extends z.ZodObject, Result>(
  { run, wakes }: Action<Input, Result>,
  operator: Operator,
  input: ActionInput<Input>,
): Promise<Result> {
  const result = await run(operator, input)
  if (wakes) operator.wake(wakes)
  return result
}

/** Writes an audit entry in the transaction of the change. */
export const recordChange = (
  { actor, clock }: Pick<Operator, 'actor' | 'clock'>,
  tx: Sql,
  change: Change,
): Promise<void> => audit(tx, { actor, at: clock.now() }, change)

/** Records a change of the workspace, or of the one that it names. */
export type RecordEntry = (change: Omit<Change, 'workspaceId'> & Partial<Pick<Change, 'workspaceId'>>) => Promise<void>

/** Commits a change with its audit entry. `workspaceId`: null for a change of the whole instance. */
export const commit = <Result>(
  operator: Operator,
  workspaceId: string | null,
  make: (tx: Sql, record: RecordEntry) => Promise<Result>,
): Promise<Result> =>
  transactionWithEvents(operator, (tx) => make(tx, (each) => recordChange(operator, tx, { workspaceId, ...each })))
