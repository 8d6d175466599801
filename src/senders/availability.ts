export type SenderState = { status: string; paused: boolean; gone: boolean; accountStatus: string }

/** FLAGGED numbers are warned and still send (whatsapp-cloud-api.md §6). */
const SENDING_STATUSES = ['CONNECTED', 'FLAGGED']

/** Why a sender cannot send (contract §8), and what to do. Undefined when it can. */
export function senderUnavailableReason({ status, paused, gone, accountStatus }: SenderState): string | undefined {
  if (accountStatus !== 'connected')
    return 'WhatsApp refuses the access token of the sender’s account. Connect the account again with a working token.'
  if (gone) return 'The number is no longer in its WhatsApp account. Add it there again, or use another sender.'
  if (paused) return 'The sender was paused. Resume it with "sender resume <senderId>", or use another sender.'
  if (!SENDING_STATUSES.includes(status))
    return `WhatsApp gives the number the status ${status}, and only ${SENDING_STATUSES.join(' and ')} numbers can send. Look at it in WhatsApp Manager, or use another sender.`
  return undefined
}
