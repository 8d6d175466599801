import { SetupRefused } from '../setup-refused.ts'
import { deliverNow } from '../webhooks/deliver-now.ts'
import { addEndpoint, findWorkspaceOf, pingEndpoint } from '../webhooks/endpoints.ts'
import { workspaceMustExist } from '../workspaces/workspaces.ts'
import { command, required } from './command.ts'
import { url, uuid } from './inputs.ts'

export const endpointAdd = command({
  words: 'endpoint add',
  summary: 'Send the events of a workspace to a URL as signed webhooks. The secret is shown this once.',
  options: { workspace: required(uuid('W')), url: required(url) },
  async run(parts, { workspace, url }) {
    await workspaceMustExist(parts.db, workspace)
    return addEndpoint(parts, { workspaceId: workspace, url })
  },
  tell: ({ endpointId, secret }) => `Endpoint ${endpointId}. Verify its webhooks with this secret:\n${secret}`,
})

export const endpointPing = command({
  words: 'endpoint ping',
  summary: 'Send a test event to an endpoint and tell what came of it.',
  argument: { name: 'endpointId', ...required(uuid('ID')) },
  async run(parts, { argument }) {
    const workspaceId = await findWorkspaceOf(parts.db, argument)
    if (!workspaceId) throw new SetupRefused(`There is no endpoint ${argument}.`)
    const { eventId, deliveryId } = await pingEndpoint(parts, { workspaceId, endpointId: argument })
    return { endpointId: argument, eventId, ...(await deliverNow(parts, deliveryId)) }
  },
  tell: ({ eventId, status, httpStatus, error }) =>
    status === 'succeeded'
      ? `The endpoint took the ping ${eventId} with ${httpStatus ?? 'success'}.`
      : `The endpoint did not take the ping ${eventId} (${error ?? `HTTP ${httpStatus ?? 'without an answer'}`}); its delivery is ${status}.`,
})
