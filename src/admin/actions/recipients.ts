import type { RecordErasure } from '../../operations/lifecycle/recipients/erase.ts'
import { ONE_RECIPIENT, countStored, findPerson } from '../../operations/lifecycle/recipients/person.ts'
import { type Operator, recordChange } from './action.ts'

/** Records an export, which changes nothing, before anything is read. */
export async function recordExport(operator: Operator, recipient: { workspaceId: string; phone: string }) {
  const { workspaceId } = recipient
  const held = await countStored(operator.db, await findPerson(operator.db, recipient))
  await recordChange(operator, operator.db, {
    workspaceId,
    action: 'recipient.exported',
    target: ONE_RECIPIENT,
    after: held,
  })
}

/** For an erasure, which runs in many transactions. */
export const erasureRecorder =
  (operator: Operator, workspaceId: string): RecordErasure =>
  (tx, { pseudonym }, held) =>
    recordChange(operator, tx, { workspaceId, action: 'recipient.erased', target: pseudonym, after: held })
