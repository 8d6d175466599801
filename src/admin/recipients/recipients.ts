import { z } from 'zod'
import { SECOND_MS } from '../../lib/clock.ts'
import {
  type Erasure,
  NOTHING_ERASED,
  addCounts,
  beginErasure,
  eraseNext,
} from '../../operations/lifecycle/recipients/erase.ts'
import { exportText } from '../../operations/lifecycle/recipients/export.ts'
import { countStored, findPerson } from '../../operations/lifecycle/recipients/person.ts'
import { type Seal, UnsealError } from '../../lib/seal.ts'
import { erasureRecorder, recordExport } from '../actions/recipients.ts'
import { phoneInput } from '../inputs.ts'
import { ownerCall, router } from '../rpc/trpc.ts'

/** Work of one call: the page repeats the call and shows the progress. */
const MAX_ERASING_MS = 2 * SECOND_MS
const MAX_SEALED_CHARACTERS = 10_000

/** Sealed: a page that could choose the pseudonym or the step could erase without an entry in the audit log. */
const erasure = z.object({ sealed: z.string().max(MAX_SEALED_CHARACTERS) })

type Recipient = { workspaceId: string; phone: string }

const contextOf = ({ workspaceId, phone }: Recipient): string => `erasure:${workspaceId}:${phone}`

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

/** Phone numbers are sent in mutations, because proxies log the URLs of queries. */
export const recipients = router({
  find: ownerCall
    .meta({ minRole: 'owner', changesNothing: true })
    .input(z.object({ phone: phoneInput }))
    .mutation(async ({ ctx: { parts }, input: { workspaceId, phone } }) => ({
      phone,
      ...(await countStored(parts.db, await findPerson(parts.db, { workspaceId, phone }))),
    })),

  /** The text of a JSON file. */
  export: ownerCall
    .input(z.object({ phone: phoneInput }))
    .mutation(async ({ ctx: { parts, operator }, input: { workspaceId, phone } }) => {
      await recordExport(operator, { workspaceId, phone })
      return { text: await exportText(parts, { workspaceId, phone, at: parts.clock.now() }) }
    }),

  erase: ownerCall
    .input(z.object({ phone: phoneInput, keepBlock: z.boolean(), erasure: erasure.optional() }))
    .mutation(async ({ ctx: { parts, operator }, input: { workspaceId, phone, keepBlock, erasure: earlier } }) => {
      const record = erasureRecorder(operator, workspaceId)
      const of = { workspaceId, phone }
      let erasure = (earlier && openErasure(parts.seal, earlier.sealed, of)) ?? beginErasure(parts)
      const erased = { ...NOTHING_ERASED }
      const startedAtMs = performance.now()
      while (erasure.stage !== 'done' && performance.now() - startedAtMs < MAX_ERASING_MS) {
        const step = await eraseNext(parts, { workspaceId, phone, keepBlock }, { erasure, record })
        erasure = step.erasure
        addCounts(erased, step.erased)
      }
      const { pseudonym, stage, finishesEarlier } = erasure
      return { erasure: { pseudonym, stage, finishesEarlier, sealed: sealErasure(parts.seal, erasure, of) }, erased }
    }),
})
