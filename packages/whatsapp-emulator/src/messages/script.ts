import { z } from 'zod'
import { EMULATOR_LIMITS } from '../limits.ts'
import { digitsOf, isUserId, normalised } from './phones.ts'

/** The language of scripts: which messages, and what WhatsApp or the customer does with them. */

export const delay = z.number().min(0).max(EMULATOR_LIMITS.scriptDelayMs)

const LIST = new Intl.ListFormat('en-GB')

/** For `refine`: exactly one of these members must be given. */
export function exactlyOne<Name extends string>(...names: Name[]) {
  const isOne = (value: { [_ in Name]?: unknown }) => names.filter((name) => value[name] !== undefined).length === 1
  return [isOne, { message: `give exactly one of ${LIST.format(names)}` }] as const
}

/** A documented code, or one with its own texts. */
const scriptedErrorSchema = z.union([
  z.int(),
  z.strictObject({
    code: z.int(),
    httpStatus: z.int().min(400).max(599).optional(),
    title: z.string().optional(),
    details: z.string().optional(),
    subcode: z.int().optional(),
    /** Puts the message's parameter values into the details, as Meta sometimes does: clients must redact them. */
    echoParameters: z.boolean().optional(),
  }),
])

export const STATUS_NAMES = ['sent', 'delivered', 'read', 'played', 'failed'] as const

export const statusSchema = z.strictObject({
  status: z.enum(STATUS_NAMES),
  /** Counted from when the emulator accepted the message. */
  afterMs: delay.optional(),
  /** The error of `failed`. Default: 131000. */
  errors: z.array(scriptedErrorSchema).min(1).optional(),
  /** Unix seconds that the status claims, instead of the present. */
  timestamp: z.int().min(0).optional(),
  /** Posts the same status this many times. */
  copies: z.int().min(1).max(100).optional(),
})

const OMITTABLE = [
  'recipient_id',
  'recipient_user_id',
  'biz_opaque_callback_data',
  'pricing',
  'wa_id',
  'user_id',
] as const

/** How the emulator treats one send. Empty: the message is sent, delivered and read. */
export const behaviourSchema = z.strictObject({
  /** The HTTP call is rejected with this error, and no message is accepted. */
  error: scriptedErrorSchema.optional(),
  /** The HTTP call gets a page instead of JSON, as from an edge server, and no message is accepted. */
  html: z.strictObject({ httpStatus: z.int().min(400).max(599).default(502), body: z.string().optional() }).optional(),
  /** Delays the HTTP response. The message itself is accepted immediately. */
  responseAfterMs: delay.optional(),
  /** How the connection ends without a response; with "after_accepting" the message is accepted. */
  connection: z
    .enum(['drop_before_accepting', 'drop_after_accepting', 'hang_before_accepting', 'hang_after_accepting'])
    .optional(),
  /** `message_status` of the response. A message that is held or paused gets no statuses unless `statuses` lists them. */
  messageStatus: z.enum(['accepted', 'held_for_quality_assessment', 'paused', 'omitted']).optional(),
  /** The statuses to post, instead of sent, delivered, read. Statuses with equal times keep the given order. */
  statuses: z.union([z.literal('none'), z.array(statusSchema).max(EMULATOR_LIMITS.stepsPerScript)]).optional(),
  /** Short for one `failed` status. */
  failed: scriptedErrorSchema.optional(),
  /** Which of the three usual statuses are never posted. */
  skip: z.array(z.enum(STATUS_NAMES)).optional(),
  /** Every status is posted this many times, byte for byte the same. */
  copies: z.int().min(1).max(100).optional(),
  /** The statuses are posted in reverse order. */
  reversed: z.boolean().optional(),
  /** The statuses are posted and acknowledged before the HTTP call gets its response. */
  statusesBeforeResponse: z.boolean().optional(),
  /** Fields left out of statuses and, for wa_id and user_id, of the response. */
  omit: z.array(z.enum(OMITTABLE)).optional(),
  /** Adds undocumented fields to statuses and the response. */
  extraFields: z.boolean().optional(),
  /** Adds a lean `contacts` to the value that holds the status. */
  statusContacts: z.boolean().optional(),
  /** The phone is out of reach this long; past the template's time to live it never gets the message. */
  offlineForMs: delay.optional(),
  /** What an expired message reports. Meta promises nothing. */
  whenExpired: z.union([z.literal('silence'), scriptedErrorSchema]).optional(),
})

/** Index, label or payload of a button; index, title or id of a row. -1 is the last. */
const choiceSchema = z.union([z.int(), z.string()])

/** What a customer does on the phone, and options for its webhook. */
export const actionShape = {
  text: z.string().min(1).max(65_536).optional(),
  /** Presses a button of the latest message with buttons, unless `message` names another, however old. */
  tap: z.strictObject({ button: choiceSchema, message: z.string().optional() }).optional(),
  /** Picks a row of the latest list, unless `message` names another. */
  choose: z.strictObject({ row: choiceSchema, message: z.string().optional() }).optional(),
  /** Any other message, in Meta's form: {"type":"image","image":{…}}. */
  raw: z.looseObject({ type: z.string() }).optional(),
  name: z.string().optional(),
  /** Leaves `from` and `wa_id` out, as for a user with a username. */
  hidePhone: z.boolean().optional(),
  omitContext: z.boolean().optional(),
  omitContacts: z.boolean().optional(),
  /** Posts this many copies of the payload simultaneously. */
  copies: z.int().min(1).max(100).optional(),
}

const DEFAULT_DELAY_MS = 3_000

/** An action on the message that arrived, unless it names another. */
const actionSchema = z
  .strictObject({
    ...actionShape,
    /** Since the message arrived or, from the second action on, since the previous one was answered. */
    afterMs: delay.default(DEFAULT_DELAY_MS),
    /** Quotes the message that arrived. Taps and choices always do. */
    quote: z.literal(true).optional(),
  })
  .refine(...exactlyOne('text', 'tap', 'choose', 'raw'))

export const MESSAGE_KINDS = ['template', 'buttons', 'list', 'text'] as const

const whenSchema = z.strictObject({
  kind: z.enum(MESSAGE_KINDS).optional(),
  replyButtons: z.int().min(0).max(10).optional(),
  template: z.string().min(1).optional(),
})

const stepSchema = z.strictObject({
  /** Matches only after the previous step; messages that match nothing may come in between. */
  follows: z.boolean().optional(),
  /** Empty: every message matches. */
  when: whenSchema.default({}),
  /** `ignore`: the message is not even read. */
  do: z.union([z.enum(['read', 'ignore']), z.array(actionSchema).min(1).max(EMULATOR_LIMITS.actionsPerStep)]),
})

const matchSchema = z.strictObject({
  /** Recipient: a phone number in any form, or a user id. */
  to: z
    .string()
    .refine((to) => digitsOf(to) !== undefined || isUserId(to), 'is not a phone number')
    .transform(normalised)
    .optional(),
  /** The last digits of the recipient's phone number. */
  ending: z
    .string()
    .regex(/^\d{1,15}$/)
    .optional(),
  /** Sending number: its phone_number_id or its display number. */
  from: z.string().min(1).transform(normalised).optional(),
  /** Template name. */
  template: z.string().min(1).optional(),
  /** How many matching sends, or conversations, this applies to. Default: all. */
  times: z.int().min(1).optional(),
})

export const scriptSchema = z
  .strictObject({
    match: matchSchema.default({}),
    /** What WhatsApp does with a send. */
    behaviour: behaviourSchema.optional(),
    /** What the customer does with the messages that arrive. */
    steps: z
      .array(stepSchema)
      .min(1)
      .max(EMULATOR_LIMITS.stepsPerScript)
      .refine(([first]) => first?.follows !== true, { message: 'the first step follows nothing' })
      .optional(),
    /** The name of a preset, whose behaviour or steps it takes. */
    preset: z.string().optional(),
  })
  .refine(...exactlyOne('behaviour', 'steps', 'preset'))

export type ScriptedError = z.infer<typeof scriptedErrorSchema>
export type StatusName = (typeof STATUS_NAMES)[number]
export type StatusStep = z.infer<typeof statusSchema>
/** `afterMs` counts from when the message was accepted. */
export type TimedStep = StatusStep & { afterMs: number }
export type Behaviour = z.output<typeof behaviourSchema>
export type BehaviourSeed = z.input<typeof behaviourSchema>
export type Action = z.output<typeof actionSchema>
export type Step = z.output<typeof stepSchema>
export type StepSeed = z.input<typeof stepSchema>
export type ScriptMatch = z.output<typeof matchSchema>
export type ScriptSeed = z.input<typeof scriptSchema>
