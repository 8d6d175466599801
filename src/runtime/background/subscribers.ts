import { advanceByOutcomes, startConversations } from '../../cod/conversation/outcomes.ts'
import { receiveMessages } from '../../cod/conversation/receive.ts'
import { findSuperseded } from '../../cod/conversation/superseded.ts'
import type { Subscribers } from '../../messages/subscribers.ts'
import { recordOtpEvents } from '../../otp/outcomes.ts'

/** The only place where messages and products meet. */
export const subscribers: Subscribers = {
  outcomes: { otp: recordOtpEvents, cod: advanceByOutcomes },
  superseded: findSuperseded,
  accepted: startConversations,
  inbound: receiveMessages,
}
