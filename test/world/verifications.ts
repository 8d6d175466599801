import assert from 'node:assert/strict'
import type { Phones } from './phones.ts'
import type { Requester, SentRequest } from './requester.ts'

export const verificationsPath = '/api/v1/otp/verifications'

export type VerificationFields = {
  to: string
  senderId: string
  template: { name: string; language: string }
  length: number
  ttlSeconds: number
  maxAttempts: number
  reference: string
  deliverWithinSeconds: number
}

export type StartedVerification = { verificationId: string; status: string; reference: string | null; to: string }

type VerificationWorld = { senderId: string; request: Requester; whatsapp: Phones; newPhone: () => string }

/** What tests of verifications do in a world. */
export function createVerificationHelpers({ senderId, request, whatsapp, newPhone }: VerificationWorld) {
  const verificationBody = (
    fields: Partial<VerificationFields> = {},
  ): Partial<VerificationFields> & Pick<VerificationFields, 'to' | 'senderId' | 'template'> => ({
    to: newPhone(),
    senderId,
    template: { name: 'login_code', language: 'en_US' },
    ...fields,
  })
  return {
    verificationBody,

    /** Starts a verification that must be accepted. */
    async startVerification(
      fields: Partial<VerificationFields> = {},
      options: Omit<SentRequest, 'body'> = {},
    ): Promise<StartedVerification> {
      const body = verificationBody(fields)
      const answer = await request('POST', verificationsPath, { body, ...options })
      assert.equal(answer.status, 202, answer.text)
      return { ...(answer.body as Omit<StartedVerification, 'to'>), to: body.to }
    },

    /** The code as the phone shows it. */
    async codeOn(message: { verificationId: string } | { messageId: string }): Promise<string> {
      const messageId = 'messageId' in message ? message.messageId : message.verificationId
      const { code } = await whatsapp.gets({ messageId })
      return code ?? assert.fail('the phone shows no code')
    },

    check: ({ verificationId }: { verificationId: string }, code: string, options: SentRequest = {}) =>
      request('POST', `${verificationsPath}/${verificationId}/check`, { body: { code }, ...options }),

    resend: ({ verificationId }: { verificationId: string }, options: SentRequest = {}) =>
      request('POST', `${verificationsPath}/${verificationId}/resend`, options),

    /** The status response of a verification that must exist. */
    async getVerification({ verificationId }: { verificationId: string }): Promise<Record<string, unknown>> {
      const answer = await request('GET', `${verificationsPath}/${verificationId}`)
      assert.equal(answer.status, 200, answer.text)
      return answer.body
    },
  }
}

/** A code of the same length that is not this one. */
export const wrongCode = (code: string): string => `${(Number(code[0]) + 1) % 10}${code.slice(1)}`
