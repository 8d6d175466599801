import type { FastifyInstance } from 'fastify'
import { readNewTemplate } from '../accounts/template-rules.ts'
import { reject, rejectManagement } from '../errors.ts'
import { EMULATOR_LIMITS } from '../limits.ts'
import type { Parts } from '../parts.ts'
import { type Call, requireAccount, requireNumber } from './call.ts'
import { deleteMedia, downloadMedia, uploadMedia } from './media.ts'
import { postMessage } from './messages.ts'
import { linkOf, listNumbers, listTemplates, readObject } from './objects.ts'
import { createTemplate, deleteTemplates } from './review.ts'
import { requireMessagingProduct } from './send.ts'
import { readSubscription, subscribe, unsubscribe } from './subscriptions.ts'

type Method = 'GET' | 'POST' | 'DELETE'
type Run = (call: Call) => unknown

/** Every call of the Cloud API that the emulator answers, without the version. */
const ROUTES: Readonly<Record<`${Method} ${string}`, Run>> = {
  'POST /:id/messages': postMessage,
  'GET /:id': readObject,
  'GET /:id/phone_numbers': (call) => listNumbers(requireAccount(call), call.query, linkOf(call)),
  'POST /:id/register': register,
  'POST /:id/deregister': deregister,
  'GET /:id/message_templates': (call) => listTemplates(requireAccount(call), call.query, linkOf(call)),
  'POST /:id/message_templates': postTemplate,
  'DELETE /:id/message_templates': removeTemplates,
  'GET /:id/subscribed_apps': readSubscription,
  'POST /:id/subscribed_apps': subscribe,
  'DELETE /:id/subscribed_apps': unsubscribe,
  'POST /:id/media': uploadMedia,
  'DELETE /:id': deleteMedia,
  'GET /whatsapp_business/attachments/': downloadMedia,
}

export const GRAPH_ROUTES: readonly string[] = Object.keys(ROUTES)

export function addGraph(server: FastifyInstance, parts: Parts): void {
  for (const [route, run] of Object.entries(ROUTES)) {
    const [method, url] = route.split(' ') as [Method, string]
    server.route<{ Params: { id?: string }; Querystring: Record<string, unknown> }>({
      method,
      url,
      ...(run === uploadMedia ? { bodyLimit: EMULATOR_LIMITS.mediaRequestBytes } : {}),
      handler: async (request, reply) => {
        const { params, query, body } = request
        return await run({ parts, id: params.id ?? '', query, body, request, reply })
      },
    })
  }
}

function register(call: Call) {
  const { account, number } = requireNumber(call)
  const pin = requireMessagingProduct(call.body).findText('pin')
  if (pin === undefined || !/^\d{6}$/.test(pin)) reject(100, 'pin must be 6 digits')
  if (number.pin !== undefined && number.pin !== pin) reject(133005)
  Object.assign(number, { pin, status: 'CONNECTED' })
  call.parts.accounts.changed(account)
  return { success: true }
}

function deregister(call: Call) {
  const { account, number } = requireNumber(call)
  number.status = 'DISCONNECTED'
  call.parts.accounts.changed(account)
  return { success: true }
}

function postTemplate(call: Call) {
  const account = requireAccount(call)
  const { id, status, category } = createTemplate(call.parts, account, readNewTemplate(call.body))
  return { id, status, category }
}

function removeTemplates(call: Call) {
  const account = requireAccount(call)
  const { name, hsm_id: id } = call.query
  if (typeof name !== 'string' || name === '') rejectManagement(100, 'name is required')
  if (id !== undefined && typeof id !== 'string') rejectManagement(100, 'hsm_id must be one id')
  deleteTemplates(call.parts, account, name, id)
  return { success: true }
}
