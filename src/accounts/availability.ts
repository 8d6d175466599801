import { type CodedText, plainText } from '../../locales/text.ts'

export type SenderState = { senderStatus: string; senderPaused: boolean; senderGone: boolean; accountStatus: string }

export type SenderObstacle = 'account' | 'unreadable' | 'gone' | 'paused' | 'status'

/** The first that applies. FLAGGED numbers can still send (docs/whatsapp-cloud-api.md#numbers). */
export function senderObstacle(sender: SenderState): SenderObstacle | undefined {
  if (sender.accountStatus === 'credentials_unreadable') return 'unreadable'
  if (sender.accountStatus !== 'connected') return 'account'
  if (sender.senderGone) return 'gone'
  if (sender.senderPaused) return 'paused'
  return sender.senderStatus === 'CONNECTED' || sender.senderStatus === 'FLAGGED' ? undefined : 'status'
}

/** Why a sender cannot send, and what to do. */
export const obstacleText = (obstacle: SenderObstacle, status: string): CodedText =>
  obstacle === 'status'
    ? { code: 'accounts.obstacle_status', status, first: 'CONNECTED', second: 'FLAGGED' }
    : plainText(`accounts.obstacle_${obstacle}`)

/** Returns undefined if it can send. */
export function senderUnavailableReason(sender: SenderState): CodedText | undefined {
  if (sender.accountStatus === 'removed') return { code: 'accounts.obstacle_removed' }
  const obstacle = senderObstacle(sender)
  return obstacle && obstacleText(obstacle, sender.senderStatus)
}
