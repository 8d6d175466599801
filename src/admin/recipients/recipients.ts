import { textOfExport } from '../../operations/lifecycle/recipients/export.ts'
import { countStored, findPerson } from '../../operations/lifecycle/recipients/person.ts'
import { perform } from '../actions/action.ts'
import { recipientActions, recipientInput } from '../actions/recipients.ts'
import { callOf, callsOf, ownerCall, router } from '../rpc/trpc.ts'

export const recipients = router({
  ...callsOf(recipientActions),

  find: ownerCall
    .meta({ minRole: 'owner', changesNothing: true })
    .input(recipientInput)
    .mutation(async ({ ctx: { parts }, input }) => ({
      phone: input.phone,
      ...(await countStored(parts.db, await findPerson(parts.db, input))),
    })),

  /** The text of a JSON file. */
  export: callOf(recipientActions.export).mutation(async ({ ctx: { operator }, input }) => ({
    text: await textOfExport(await perform(recipientActions.export, operator, input)),
  })),
})
