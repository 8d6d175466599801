export type SenderState = { status: string; paused: boolean; gone: boolean; accountStatus: string }

/** FLAGGED numbers are warned and still send (whatsapp-cloud-api.md §6). */
const SENDING_STATUSES = ['CONNECTED', 'FLAGGED']

/** What keeps a sender from sending (contract §8): the first of these that holds. */
export type Obstacle = 'account' | 'gone' | 'paused' | 'status'

export function senderObstacle({ status, paused, gone, accountStatus }: SenderState): Obstacle | undefined {
  if (accountStatus !== 'connected') return 'account'
  if (gone) return 'gone'
  if (paused) return 'paused'
  return SENDING_STATUSES.includes(status) ? undefined : 'status'
}

/** Why a sender cannot send, and what to do. Undefined when it can. */
export function senderUnavailableReason(sender: SenderState): string | undefined {
  switch (senderObstacle(sender)) {
    case 'account':
      return 'WhatsApp refuses the access token of the sender’s account. Connect the account again with a working token.'
    case 'gone':
      return 'The number is no longer in its WhatsApp account. Add it there again, or use another sender.'
    case 'paused':
      return 'The sender was paused. Resume it with "sender resume <senderId>", or use another sender.'
    case 'status':
      return `WhatsApp gives the number the status ${sender.status}, and only ${SENDING_STATUSES.join(' and ')} numbers can send. Look at it in WhatsApp Manager, or use another sender.`
    case undefined:
      return undefined
  }
}
