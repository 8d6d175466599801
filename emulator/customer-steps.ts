import { z } from 'zod'
import { choiceSchema, isReply, rawSchema, textSchema } from './gestures.ts'
import { isOne, lookShape } from './inbound.ts'
import { TWIN_LIMITS } from './limits.ts'
import type { Message } from './messages.ts'

const delay = z.number().min(0).max(TWIN_LIMITS.scriptDelayMs)

/** How long a customer thinks when nothing is said. */
const USUAL_THOUGHT_MS = 3_000

/** One thing that the customer does with the message that has come: the form of `POST /control/inbound`. */
const actionSchema = z
  .strictObject({
    /** Since the message came or, for the second action and on, since the one before it was answered. */
    afterMs: delay.default(USUAL_THOUGHT_MS),
    text: textSchema.optional(),
    tap: z.strictObject({ button: choiceSchema }).optional(),
    choose: z.strictObject({ row: choiceSchema }).optional(),
    raw: rawSchema.optional(),
    /** Quotes the message that has come, as taps and choices do by themselves. */
    quote: z.literal(true).optional(),
    ...lookShape,
  })
  .refine(({ text, tap, choose, raw }) => isOne([text, tap, choose, raw]), {
    message: 'give exactly one of text, tap, choose and raw',
  })

const MESSAGE_KINDS = ['template', 'buttons', 'list', 'text'] as const

const whenSchema = z.strictObject({
  kind: z.enum(MESSAGE_KINDS).optional(),
  /** How many buttons that can be tapped the message has. */
  replyButtons: z.int().min(0).max(10).optional(),
  /** The template's name. */
  template: z.string().min(1).optional(),
})

export const stepSchema = z.strictObject({
  /** Tried only after the step above was taken; messages that fit nothing may come between. */
  follows: z.boolean().optional(),
  /** Traits of the message; without any every message fits. */
  when: whenSchema.default({}),
  /** `ignore`: the message is not even read. */
  do: z.union([z.enum(['read', 'ignore']), z.array(actionSchema).min(1).max(TWIN_LIMITS.actionsPerStep)]),
})

const stepsSchema = z
  .array(stepSchema)
  .min(1)
  .max(TWIN_LIMITS.stepsPerCustomer)
  .refine(([first]) => first?.follows !== true, { message: 'the first step follows nothing' })

export const customerSchema = z.strictObject({
  match: z
    .strictObject({
      /** The customer's phone number; without it anybody's. */
      to: z.string().min(1).optional(),
      /** For so many messages that begin a conversation, and what follows on them; without it for ever. */
      times: z.int().min(1).optional(),
    })
    .default({}),
  /** The name of a customer of the table, or steps. */
  plays: z.union([z.string(), stepsSchema]),
})

export type Action = z.output<typeof actionSchema>
export type Step = z.output<typeof stepSchema>
export type StepSeed = z.input<typeof stepSchema>
export type CustomerSeed = z.input<typeof customerSchema>
export type CustomerMatch = NonNullable<CustomerSeed['match']>

export function fits({ kind, replyButtons, template }: Step['when'], message: Message): boolean {
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
