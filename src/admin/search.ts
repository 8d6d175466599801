import { z } from 'zod'
import { listSenders } from '../accounts/senders.ts'
import { listStoredTemplates } from '../accounts/templates/stored.ts'
import { listConfirmations } from '../cod/list.ts'
import { listMessages } from '../messages/search.ts'
import { listEndpoints } from '../webhooks/endpoints.ts'
import { MIN_PART_CHARACTERS } from '../lib/lists/min-part-characters.ts'
import { partOfPhone, phonesMatching } from '../lib/lists/searched-phones.ts'
import { trimmedText } from './inputs.ts'
import { listQuery } from './lists.ts'
import { readCall, router } from './rpc/trpc.ts'

/** Results of each kind. The lists have the rest. */
const MAX_FOUND = 5

const NOTHING = { confirmations: [], messages: [], templates: [], senders: [], endpoints: [] }

export const search = router({
  /** What a workspace has that matches the text: the newest of each kind, found as its own list finds it. */
  all: readCall
    .input(z.object({ text: trimmedText(200) }))
    .query(async ({ ctx: { parts, figures, membership }, input: { workspaceId, text } }) => {
      if (text.length < MIN_PART_CHARACTERS) return NOTHING
      const shared = await listQuery(parts.db, membership, { workspaceId, text, cursor: null })
      const filter = { ...shared, workspaceId, template: null, senderId: null, status: null }
      const [confirmations, messages, { templates }, senders, endpoints] = await Promise.all([
        listConfirmations(figures, { ...filter, refusal: null }),
        listMessages(figures, { ...filter, kind: null, failureCode: null, verification: null }),
        listStoredTemplates(figures, { workspaceId, search: text }),
        listSenders(parts.db, workspaceId),
        listEndpoints(parts.db, workspaceId),
      ])
      const found = confirmations.rows.slice(0, MAX_FOUND)
      const foundIds = new Set(found.map(({ id }) => id))
      const has = textFinder(text)
      const hasPhone = phoneFinder(text, senders)
      return {
        confirmations: found,
        // A confirmation's page already shows its messages.
        messages: messages.rows
          .filter(({ confirmationId }) => confirmationId === null || !foundIds.has(confirmationId))
          .slice(0, MAX_FOUND),
        templates: templates.slice(0, MAX_FOUND),
        senders: senders
          .filter(({ senderId, phoneNumber, verifiedName }) => hasPhone(phoneNumber) || has(senderId, verifiedName))
          .slice(0, MAX_FOUND),
        endpoints: endpoints
          .filter(({ endpointId, url, description }) => has(endpointId, url, description))
          .slice(0, MAX_FOUND),
      }
    }),
})

function textFinder(text: string): (...texts: (string | null)[]) => boolean {
  const lower = text.toLowerCase()
  return (...texts) => texts.some((each) => each?.toLowerCase().includes(lower))
}

function phoneFinder(text: string, senders: readonly { phoneNumber: string }[]): (phone: string) => boolean {
  const own = senders.map(({ phoneNumber }) => phoneNumber)
  const [whole, part] = [phonesMatching(text, own), partOfPhone(text)]
  return (phone) => whole.includes(phone) || (part !== null && phone.includes(part))
}
