import { z } from 'zod'
import { EMULATOR_LIMITS } from '../limits.ts'
import { delay } from '../messages/behaviour.ts'
import type { Message } from '../messages/messages.ts'
import type { ShownButton } from '../wire/chats.ts'

/** Index, label or payload of a button; index, title or id of a row. -1 is the last. */
export const choiceSchema = z.union([z.int(), z.string()])
export const textSchema = z.string().min(1).max(65_536)
/** Any other message, in Meta's form: {"type":"image","image":{…}}. */
export const rawSchema = z.looseObject({ type: z.string() })

/** Options for the webhook of a customer's message. */
export const webhookOptionsShape = {
  name: z.string().optional(),
  /** Leaves `from` and `wa_id` out, as for a user with a username. */
  hidePhone: z.boolean().optional(),
  omitContext: z.boolean().optional(),
  omitContacts: z.boolean().optional(),
  /** Posts the same payload this many times at once. */
  copies: z.int().min(1).max(100).optional(),
}

const LIST = new Intl.ListFormat('en-GB')

/** For `refine`: only one of these members may be given, and one must be. */
export function exactlyOne<Name extends string>(...names: Name[]) {
  const isOne = (value: { [_ in Name]?: unknown }) => names.filter((name) => value[name] !== undefined).length === 1
  return [isOne, { message: `give exactly one of ${LIST.format(names)}` }] as const
}

export function isReply(button: ShownButton): boolean {
  return button.payload !== undefined
}

const DEFAULT_DELAY_MS = 3_000

/** One action of the customer on the message: the form of `POST /control/inbound`. */
const actionSchema = z
  .strictObject({
    /** Since the message arrived or, from the second action on, since the previous one was answered. */
    afterMs: delay.default(DEFAULT_DELAY_MS),
    text: textSchema.optional(),
    tap: z.strictObject({ button: choiceSchema }).optional(),
    choose: z.strictObject({ row: choiceSchema }).optional(),
    raw: rawSchema.optional(),
    /** Quotes the message that arrived. Taps and choices always do. */
    quote: z.literal(true).optional(),
    ...webhookOptionsShape,
  })
  .refine(...exactlyOne('text', 'tap', 'choose', 'raw'))

const MESSAGE_KINDS = ['template', 'buttons', 'list', 'text'] as const

const whenSchema = z.strictObject({
  kind: z.enum(MESSAGE_KINDS).optional(),
  replyButtons: z.int().min(0).max(10).optional(),
  template: z.string().min(1).optional(),
})

export const stepSchema = z.strictObject({
  /** Matches only after the previous step; messages that match nothing may come in between. */
  follows: z.boolean().optional(),
  /** Empty: every message matches. */
  when: whenSchema.default({}),
  /** `ignore`: the message is not even read. */
  do: z.union([z.enum(['read', 'ignore']), z.array(actionSchema).min(1).max(EMULATOR_LIMITS.actionsPerStep)]),
})

const stepsSchema = z
  .array(stepSchema)
  .min(1)
  .max(EMULATOR_LIMITS.stepsPerCustomer)
  .refine(([first]) => first?.follows !== true, { message: 'the first step follows nothing' })

export const customerSchema = z.strictObject({
  match: z
    .strictObject({
      /** The customer's phone number; without it any number. */
      to: z.string().min(1).optional(),
      /** How many conversations to answer. Default: all. */
      times: z.int().min(1).optional(),
    })
    .default({}),
  /** The name of a customer of the table, or steps. */
  script: z.union([z.string(), stepsSchema]),
})

export type Action = z.output<typeof actionSchema>
export type Step = z.output<typeof stepSchema>
export type StepSeed = z.input<typeof stepSchema>
export type CustomerMatch = NonNullable<z.input<typeof customerSchema>['match']>

export function stepMatches({ kind, replyButtons, template }: Step['when'], message: Message): boolean {
  return (
    (kind === undefined || kind === kindOf(message)) &&
    (replyButtons === undefined || replyButtons === message.shown.buttons.filter(isReply).length) &&
    (template === undefined || template === message.template?.name)
  )
}

function kindOf({ type, shown }: Message): (typeof MESSAGE_KINDS)[number] {
  if (type === 'template') return 'template'
  if (shown.list !== undefined) return 'list'
  return shown.buttons.length > 0 ? 'buttons' : 'text'
}
