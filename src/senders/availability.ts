import { type Sentence, asWritten, joined, sentences } from '../sentences.ts'

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
export function senderUnavailableReason(sender: SenderState): Sentence | undefined {
  const obstacle = senderObstacle(sender)
  if (obstacle !== 'status') return obstacle && says[obstacle]
  return says.status({ status: sender.status, sending: joined(SENDING_STATUSES.map(asWritten), AND) })
}

const AND: Sentence = { en: ' and ', ar: ' أو ' }

const says = sentences({
  account: {
    en: 'WhatsApp refuses the access token of the sender’s account. Connect the account again with a working token.',
    ar: 'يرفض واتساب رمز الوصول الخاص بحساب المرسل. اربط الحساب مجددًا برمز وصول صالح.',
  },
  gone: {
    en: 'The number is no longer in its WhatsApp account. Add it there again, or use another sender.',
    ar: 'لم يعد الرقم في حسابه على واتساب. أضفه هناك مجددًا، أو استخدم مرسلًا آخر.',
  },
  paused: {
    en: 'The sender was paused. Resume it with "sender resume <senderId>", or use another sender.',
    ar: 'أُوقف المرسل مؤقتًا. استأنفه، أو استخدم مرسلًا آخر.',
  },
  status: {
    en: 'WhatsApp gives the number the status {status}, and only {sending} numbers can send. Look at it in WhatsApp Manager, or use another sender.',
    ar: 'حالة الرقم في واتساب {status}، ولا ترسل إلا الأرقام التي حالتها {sending}. راجعه في مدير واتساب، أو استخدم مرسلًا آخر.',
  },
})
