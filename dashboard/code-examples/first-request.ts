import type { RouterOutputs } from '../api.ts'
import type { ApiRequest } from './request.ts'

/** The sender and template that a workspace can use. */
type FirstRequestFacts = Extract<RouterOutputs['keys']['firstRequest'], { missing: null }>

/** A number of the emulator's ordinary customers (presets.ts), which receives codes. */
export const SANDBOX_PHONE = '+212661002001'

/** An example code: the backend generates its own. */
const EXAMPLE_CODE = '493817'

/** A request that sends a first one-time code. */
export const firstRequest = ({ baseUrl, senderId, template }: FirstRequestFacts, to: string): ApiRequest => ({
  url: `${baseUrl}/otp/messages`,
  body: { to, senderId, template, code: EXAMPLE_CODE, reference: 'first' },
})
