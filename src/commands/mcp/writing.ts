import { isDeepStrictEqual } from 'node:util'
import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import { z } from 'zod'
import { asWritten } from '../../../locales/text.ts'
import type { Operator } from '../../admin/actions/action.ts'
import { endpointActions } from '../../admin/actions/endpoints.ts'
import { type FirstRequest, findFirstRequest } from '../../admin/first-steps.ts'
import { requestedBy, sendOtp } from '../../admin/phone/send.ts'
import { explainMessage } from '../../explain/explain.ts'
import { BoundedMap } from '../../lib/bounded-map.ts'
import { MINUTE_MS } from '../../lib/clock.ts'
import type { Db, Sql } from '../../lib/db/pool.ts'
import { MAX_REFERENCE_LENGTH, boundedText, phone, uuid } from '../../lib/http/fields.ts'
import { UserError } from '../../lib/errors.ts'
import { getDeliveryOfEvent } from '../../webhooks/resend.ts'
import { type Workspace, getWorkspace } from '../../workspaces/workspaces.ts'
import { act } from '../command.ts'
import { type AgentContext, type Tool, tool } from './tool.ts'

/** After a dry run, the agent may ask a person first. */
const TOKEN_VALID_MS = 10 * MINUTE_MS
/** A further dry run removes the oldest token. */
const MAX_TOKENS = 100
const TOKEN_BYTES = 18

const CODE_DIGITS = 6

export function assertSandbox({ sandbox }: Pick<Workspace, 'sandbox'>): void {
  if (!sandbox)
    throw new UserError(
      asWritten(
        'This workspace is live: an agent can send only in a sandbox. Leave --allow-writes out, or name a sandbox: “doorcode workspace list” shows which workspaces are sandboxes.',
      ),
    )
}

const twoCalls = {
  dryRun: z.boolean().default(true).meta({
    description: 'true, the default: says what would happen, and returns a token. false: does it, with the token.',
  }),
  token: z.string().max(100).optional().meta({ description: 'From the dry run with the same input. It works once.' }),
}

/** `what` is the same in the dry run; `result` exists only when it was done. */
type Done = { what: object; result: object }

type Writing<Shape extends z.ZodRawShape> = Pick<Tool, 'name' | 'title' | 'description'> & {
  input: Shape
  write: (operator: Operator, workspaceId: string, input: z.output<z.ZodObject<Shape>>) => Promise<Done>
}

/** Tokens of one process: after a restart, the agent makes the dry run again. */
export function createWritingTools(): Tool[] {
  const tokens = new BoundedMap<string, { name: string; input: object; until: number }>(MAX_TOKENS)

  const issue = (name: string, input: object) => {
    const token = randomBytes(TOKEN_BYTES).toString('base64url')
    tokens.set(token, { name, input, until: performance.now() + TOKEN_VALID_MS })
    return token
  }

  /** Throws UserError. A token ends with its first use, so that a repeated call does nothing twice. */
  const redeem = (token: string | undefined, { name, input }: { name: string; input: object }): void => {
    const issued = token === undefined ? undefined : tokens.get(token)
    if (token !== undefined) tokens.delete(token)
    if (!issued || issued.until < performance.now())
      throw new UserError(
        asWritten(
          `dryRun: false needs the token of a dry run of the last ${TOKEN_VALID_MS / MINUTE_MS} minutes, which works once. Call ${name} with dryRun: true first.`,
        ),
      )
    if (issued.name !== name || !isDeepStrictEqual(issued.input, input))
      throw new UserError(
        asWritten(
          `The token belongs to a dry run with another input. Call ${name} with dryRun: true and this input first.`,
        ),
      )
  }

  const writing = <Shape extends z.ZodRawShape>({ input, write, ...named }: Writing<Shape>): Tool => {
    const schema = z.strictObject({ ...input, ...twoCalls })
    return tool({
      ...named,
      description: `${named.description} Only in a sandbox. Two calls: first with dryRun: true, which does nothing and returns a token; then with dryRun: false, the same input and the token.`,
      input: schema,
      writes: true,
      async run({ operator, workspaceId }: AgentContext, given) {
        assertSandbox(await getWorkspace(operator.db, workspaceId))
        const { dryRun, token, ...wanted } = given as z.output<typeof schema> & { dryRun: boolean; token?: string }
        const request = wanted as unknown as z.output<z.ZodObject<Shape>>
        if (!dryRun) {
          redeem(token, { name: named.name, input: wanted })
          const { what, result } = await write(operator, workspaceId, request)
          return { dryRun: false, did: what, ...result }
        }
        const { what } = await rehearse(operator, (rehearsing) => write(rehearsing, workspaceId, request))
        return {
          dryRun: true,
          would: what,
          token: issue(named.name, wanted),
          tokenValidMinutes: TOKEN_VALID_MS / MINUTE_MS,
        }
      },
    })
  }

  return [writing(sendTestCode), writing(resendMessage), writing(resendWebhook)]
}

class RolledBack extends Error {
  readonly result: unknown

  constructor(result: unknown) {
    super('a dry run was rolled back')
    this.result = result
  }
}

/** Does the work, with all its checks, and rolls its transaction back. Nothing is announced. */
async function rehearse<Result>(operator: Operator, work: (operator: Operator) => Promise<Result>): Promise<Result> {
  const { db, live } = operator
  const transaction: Db['transaction'] = async (run) => {
    try {
      return await db.transaction(async (tx: Sql) => {
        throw new RolledBack(await run(tx))
      })
    } catch (error) {
      if (error instanceof RolledBack) return error.result as never
      throw error
    }
  }
  return work({ ...operator, db: { ...db, transaction }, wake: () => {}, live: { ...live, changed: () => {} } })
}

type Send = {
  to: string
  senderId: string
  template: { name: string; language: string }
  reference?: string | undefined
}

/** The code is made here, and shown only on the emulator's phone. */
async function sendCode(operator: Operator, workspaceId: string, send: Send): Promise<Done> {
  const code = String(randomInt(10 ** CODE_DIGITS)).padStart(CODE_DIGITS, '0')
  const by = requestedBy({ workspaceId, correlationId: randomUUID() })
  const { messageId, status } = await sendOtp(operator, by, { ...send, code })
  operator.live.changed([workspaceId])
  const { to, senderId, template, reference = null } = send
  return { what: { action: 'send a new test code', to, senderId, template, reference }, result: { messageId, status } }
}

const MISSING = {
  account:
    'The sandbox has no WhatsApp account yet. A person can connect it to the emulator on the Phone page of the dashboard.',
  sender: 'No number of the sandbox can send now. The tool settings says why for each sender.',
  template:
    'The sandbox has no template that can be used for one-time codes. The tool settings says why for each template.',
} as const satisfies Record<Exclude<FirstRequest['missing'], null>, string>

const sendTestCode: Writing<{
  to: typeof phone
  senderId: z.ZodOptional<typeof uuid>
  template: z.ZodOptional<z.ZodObject<{ name: z.ZodString; language: z.ZodString }, z.core.$strict>>
  reference: z.ZodOptional<ReturnType<typeof boundedText>>
}> = {
  name: 'send_test_code',
  title: 'Send a test code',
  description:
    'Sends a one-time code that Doorcode makes. The code appears only on the customer’s phone, on the Phone page of the dashboard. It takes a unit of the sandbox’s quota, and webhooks report it as usual.',
  input: {
    to: phone.meta({
      description: 'Any number in international format with a leading +, such as +34600111222.',
    }),
    senderId: uuid.optional().meta({ description: 'Sender ID. Default: a sender that can send.' }),
    template: z
      .strictObject({ name: z.string().min(1).max(512), language: z.string().min(1).max(20) })
      .optional()
      .meta({ description: 'An authentication template of the sender. Default: one that can be used.' }),
    reference: boundedText(0, MAX_REFERENCE_LENGTH).optional().meta({ description: 'Your own reference.' }),
  },
  async write(operator, workspaceId, { to, senderId, template, reference }) {
    if (senderId !== undefined && template !== undefined)
      return sendCode(operator, workspaceId, { to, senderId, template, reference })
    if (senderId !== undefined || template !== undefined)
      throw new UserError(asWritten('Give both senderId and template, or neither. The tool settings lists both.'))
    const first = await findFirstRequest(operator.db, { workspaceId, language: 'en' })
    if (first.missing !== null) throw new UserError(asWritten(MISSING[first.missing]))
    return sendCode(operator, workspaceId, { to, senderId: first.senderId, template: first.template, reference })
  },
}

const resendMessage: Writing<{ messageId: typeof uuid }> = {
  name: 'resend_message',
  title: 'Send a failed code again',
  description:
    'Sends a new test code in place of a failed one: to the same recipient, from the same sender, with the same template and reference. The old code was erased, so the new message has another code and another id.',
  input: { messageId: uuid.meta({ description: 'The id of a failed message of the kind otp.' }) },
  async write(operator, workspaceId, { messageId }) {
    const found = await explainMessage(operator, { workspaceId, messageId })
    if (!found)
      throw new UserError(
        asWritten(`No message of this workspace has the id ${messageId}. The tool search_messages finds messages.`),
        'NOT_FOUND',
      )
    const { message, verification } = found
    if (message.kind === 'cod')
      throw new UserError(
        asWritten('A message of a confirmation cannot be sent again: the shop’s backend creates another confirmation.'),
      )
    if (verification ?? message.verificationId)
      throw new UserError(
        asWritten(
          'The message belongs to a verification: the shop’s backend sends its code again with POST /otp/verifications/{id}/resend.',
        ),
      )
    if (message.status !== 'failed')
      throw new UserError(
        asWritten(
          `Only a failed message can be sent again, and this one is ${message.status}. The tool next_action says what to do.`,
        ),
      )
    const { recipient: to, senderId, templateName: name, templateLanguage: language, reference } = message
    if (!to.startsWith('+'))
      throw new UserError(asWritten('The recipient’s data was erased, so the message cannot be sent again.'))
    const send = { to, senderId, template: { name, language }, ...(reference !== null && { reference }) }
    return sendCode(operator, workspaceId, send)
  },
}

const resendWebhook: Writing<{ eventId: typeof uuid; endpointId: typeof uuid }> = {
  name: 'resend_webhook',
  title: 'Send a webhook again',
  description:
    'Sends one event to one endpoint again, whatever its status; the webhook-id stays the same, so that the receiver recognizes a repeat. explain lists both ids under webhooks.',
  input: {
    eventId: uuid.meta({ description: 'The id of the event, which receivers see as webhook-id.' }),
    endpointId: uuid.meta({ description: 'The id of the endpoint.' }),
  },
  async write(operator, workspaceId, { eventId, endpointId }) {
    const deliveryId = await getDeliveryOfEvent(operator.db, { workspaceId, eventId, endpointId })
    await act(endpointActions.resend, operator, { workspaceId, endpointId, deliveryId })
    return { what: { action: 'send the event again', eventId, endpointId }, result: { deliveryId, status: 'pending' } }
  },
}
