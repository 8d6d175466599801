import { z } from 'zod'
import { SECOND_MS } from '../../lib/clock.ts'
import { type Seal, UnsealError } from '../../lib/seal.ts'
import { type Erasure, beginErasure, eraseRecipient } from '../../operations/lifecycle/recipients/erase.ts'
import { exportRecipient } from '../../operations/lifecycle/recipients/export.ts'
import { ONE_RECIPIENT, countStored, findPerson } from '../../operations/lifecycle/recipients/person.ts'
import { phoneInput } from '../inputs.ts'
import { action, recordChange } from './action.ts'

/** Work of one call of a page, which repeats the call and shows the progress. */
const MAX_ERASING_MS = 2 * SECOND_MS
const MAX_SEALED_CHARACTERS = 10_000

export const recipientInput = z.object({ phone: phoneInput })

const erasureInput = recipientInput.extend({
  keepBlock: z.boolean(),
  /** Continues what the last call returned. */
  erasure: z.object({ sealed: z.string().max(MAX_SEALED_CHARACTERS) }).optional(),
  maxMs: z.int().min(1).max(MAX_ERASING_MS).default(MAX_ERASING_MS),
})

type Recipient = { workspaceId: string; phone: string }

const contextOf = ({ workspaceId, phone }: Recipient): string => `erasure:${workspaceId}:${phone}`

/** Sealed: a page that could choose the pseudonym or the step could erase without an entry in the audit log. */
const sealErasure = (seal: Seal, erasure: Erasure, of: Recipient): string =>
  seal.close(JSON.stringify(erasure), contextOf(of)).toString('base64')

/** Returns undefined for anything but what this erasure of this number gave the page: it begins again. */
function openErasure(seal: Seal, sealed: string, of: Recipient): Erasure | undefined {
  try {
    const erasure = JSON.parse(seal.open(Buffer.from(sealed, 'base64'), contextOf(of))) as Erasure
    return { ...erasure, startedAt: new Date(erasure.startedAt) }
  } catch (error) {
    if (error instanceof UnsealError) return undefined
    throw error
  }
}

export const recipientActions = {
  /** Records the export, which changes nothing, before anything is read. Returns the pieces of a JSON document. */
  export: action('owner', recipientInput, async (operator, recipient) => {
    const { db, clock } = operator
    const { workspaceId } = recipient
    const held = await countStored(db, await findPerson(db, recipient))
    const entry = { action: 'recipient.exported' as const, target: ONE_RECIPIENT, after: held }
    await recordChange(operator, db, { workspaceId, ...entry })
    return exportRecipient(operator, { ...recipient, at: clock.now() })
  }),

  /** Erases in many transactions, until it is done or the time is over. */
  erase: action('owner', erasureInput, async (operator, { erasure: earlier, maxMs, ...request }) => {
    const { seal } = operator
    const { workspaceId } = request
    const { erasure, erased } = await eraseRecipient(operator, request, {
      erasure: (earlier && openErasure(seal, earlier.sealed, request)) ?? beginErasure(operator),
      record: (tx, { pseudonym }, held) =>
        recordChange(operator, tx, { workspaceId, action: 'recipient.erased', target: pseudonym, after: held }),
      maxMs,
    })
    const { pseudonym, stage, finishesEarlier } = erasure
    return { erasure: { pseudonym, stage, finishesEarlier, sealed: sealErasure(seal, erasure, request) }, erased }
  }),
}
