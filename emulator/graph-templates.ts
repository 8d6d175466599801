import { refuseManagement } from './errors.ts'
import { requireAccount } from './graph-access.ts'
import { createTemplate, deleteTemplates } from './review.ts'
import { readNewTemplate } from './template-rules.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Parts } from './parts.ts'

type Request = FastifyRequest<{ Params: { id: string }; Querystring: Record<string, unknown> }>

/** Creating and deleting of templates. */
export function templateRoutes(server: FastifyInstance, parts: Parts): void {
  server.post('/:id/message_templates', (request: Request) => {
    const account = requireAccount(parts, request, request.params.id)
    const { id, status, category } = createTemplate(parts, account, readNewTemplate(request.body))
    return { id, status, category }
  })

  server.delete('/:id/message_templates', (request: Request) => {
    const account = requireAccount(parts, request, request.params.id)
    const { name, hsm_id: id } = request.query
    if (typeof name !== 'string' || name === '') refuseManagement(100, 'name is required')
    if (id !== undefined && typeof id !== 'string') refuseManagement(100, 'hsm_id must be one id')
    deleteTemplates(parts, account, name, id)
    return { success: true }
  })
}
