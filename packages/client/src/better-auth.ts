import type { Client } from './client.ts'
import { DoorcodeError } from './errors.ts'

type Template = { name: string; language: string }

export type BetterAuthOptions = {
  doorcode: Pick<Client, 'sendOtpMessage'>
  /** The Sender ID of the number that sends the codes. */
  senderId: string
  /** An approved authentication template, or what chooses one, such as by the language of the request. */
  template: Template | ((phoneNumber: string, request: Request | undefined) => Template | Promise<Template>)
}

/** What better-auth hands over with a code. */
type Sent = { phoneNumber: string; code: string }
type Context = { request?: Request | undefined }

/**
 * The options of better-auth's plugin `phoneNumber` that send its codes over WhatsApp: `phoneNumber(doorcodePhoneNumber({ … }))`.
 * better-auth makes and checks the codes. When `send-otp` cannot send a code, it answers with a PhoneNumberError. better-auth only logs
 * this error for the codes of password resets and sign-ins, and for every code if `advanced.backgroundTasks.handler` is set.
 */
export function doorcodePhoneNumber({ doorcode, senderId, template }: BetterAuthOptions) {
  const send = async ({ phoneNumber, code }: Sent, context?: Context): Promise<void> => {
    const chosen = typeof template === 'function' ? await template(phoneNumber, context?.request) : template
    try {
      await doorcode.sendOtpMessage({ to: withPlus(phoneNumber), senderId, template: chosen, code })
    } catch (error) {
      throw new PhoneNumberError(error)
    }
  }
  return { sendOTP: send, sendPasswordResetOTP: send }
}

/** Apps may store the number without its plus. */
const withPlus = (phoneNumber: string): string => (/^[1-9]/.test(phoneNumber) ? `+${phoneNumber}` : phoneNumber)

/** Whether the number is the only reason: it is what the user of the app can change. */
function isNumbersFault({ code, faults }: DoorcodeError): boolean {
  if (code !== 'DEVELOPER_INVALID_INPUT') return code === 'RECIPIENT_BLOCKED'
  return faults.length > 0 && faults.every(({ pointer }) => pointer === '/to')
}

/** `send-otp` of better-auth answers with the status and the body of an error of this name; it takes any other error for a bug. */
export class PhoneNumberError extends Error {
  override readonly name = 'APIError'
  readonly status: 'UNPROCESSABLE_ENTITY' | 'SERVICE_UNAVAILABLE'
  readonly statusCode: 422 | 503
  readonly headers = {}
  readonly body: { code: string; message: string }

  constructor(cause: unknown) {
    const isUsers = cause instanceof DoorcodeError && isNumbersFault(cause)
    const message = isUsers
      ? 'No code can be sent to this phone number.'
      : 'The code could not be sent. Try again later.'
    super(message, { cause })
    this.status = isUsers ? 'UNPROCESSABLE_ENTITY' : 'SERVICE_UNAVAILABLE'
    this.statusCode = isUsers ? 422 : 503
    this.body = { code: isUsers ? 'PHONE_NUMBER_REJECTED' : 'CODE_NOT_SENT', message }
  }
}
