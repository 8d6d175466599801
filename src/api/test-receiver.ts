import type { FastifyInstance, FastifyReply } from 'fastify'
import { isUuid } from '../lib/ids.ts'
import { standardWebhookCheck } from '../otp/hooks/signature.ts'
import type { Parts } from '../runtime/parts.ts'
import { TEST_RECEIVER_PATH, findTestReceiverSecrets } from '../webhooks/test-receiver.ts'
import { createUnsignedLimit } from './auth-hooks.ts'

type ReceiverParts = Pick<Parts, 'config' | 'db' | 'clock' | 'seal'>

/** More than the longest event. */
const MAX_BODY_BYTES = 256 * 1024

/**
 * Stands in for the backend of a newcomer who has no server yet: verifies each webhook as a backend must (docs/webhooks.md), with
 * the secret of its endpoint, and answers whether the signature fits. It stores nothing: the delivery's log has the response.
 */
export function serveTestReceiver(app: FastifyInstance, parts: ReceiverParts): void {
  const unsigned = createUnsignedLimit()
  app.post<{ Params: { workspaceId: string }; Body: Buffer | undefined }>(
    `${TEST_RECEIVER_PATH}/:workspaceId`,
    {
      bodyLimit: MAX_BODY_BYTES,
      // Before the body is read.
      async onRequest(request, reply) {
        return unsigned.allows(request.ip) ? undefined : answer(reply, 429, { verified: false })
      },
    },
    async (request, reply) => {
      const { workspaceId } = request.params
      const secrets = isUuid(workspaceId) ? await findTestReceiverSecrets(parts, workspaceId.toLowerCase()) : []
      const signed = { headers: request.headers, raw: request.body ?? Buffer.alloc(0), now: parts.clock.now() }
      const verified = secrets.some((secret) => standardWebhookCheck(secret)(signed))
      if (!verified) unsigned.count(request.ip)
      return answer(reply, verified ? 200 : 401, { verified })
    },
  )
}

const answer = (reply: FastifyReply, status: number, body: { verified: boolean }): FastifyReply =>
  reply
    .code(status)
    .type('application/json')
    .send(Buffer.from(JSON.stringify(body)))
