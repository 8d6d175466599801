import { z } from 'zod'
import { EMULATOR_LIMITS } from '../limits.ts'

export const delay = z.number().min(0).max(EMULATOR_LIMITS.scriptDelayMs)

/** A documented code, or one with its own texts. */
const scriptedErrorSchema = z.union([
  z.int(),
  z.strictObject({
    code: z.int(),
    httpStatus: z.int().min(400).max(599).optional(),
    title: z.string().optional(),
    details: z.string().optional(),
    subcode: z.int().optional(),
    /** Puts the message's parameter values into the details, as Meta sometimes does: callers must redact them. */
    echoParameters: z.boolean().optional(),
  }),
])

export const STATUS_NAMES = ['sent', 'delivered', 'read', 'played', 'failed'] as const

export const stepSchema = z.strictObject({
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
  /** The HTTP call is refused with this error, and no message is accepted. */
  error: scriptedErrorSchema.optional(),
  /** The HTTP call gets a page instead of JSON, as from an edge server, and no message is accepted. */
  html: z.strictObject({ httpStatus: z.int().min(400).max(599).default(502), body: z.string().optional() }).optional(),
  /** Before the HTTP answer. The message itself is accepted at once. */
  answerAfterMs: delay.optional(),
  /** How the connection ends without an answer; with "after_accepting" the message is accepted. */
  connection: z
    .enum(['drop_before_accepting', 'drop_after_accepting', 'hang_before_accepting', 'hang_after_accepting'])
    .optional(),
  /** `message_status` of the answer. A message that is held or paused gets no statuses unless `statuses` lists them. */
  messageStatus: z.enum(['accepted', 'held_for_quality_assessment', 'paused', 'omitted']).optional(),
  /** The statuses to post, instead of sent, delivered, read. Equal times go in the order given. */
  statuses: z.union([z.literal('none'), z.array(stepSchema).max(EMULATOR_LIMITS.stepsPerScript)]).optional(),
  /** Short for one `failed` status. */
  failed: scriptedErrorSchema.optional(),
  /** Which of the three usual statuses are never posted. */
  skip: z.array(z.enum(STATUS_NAMES)).optional(),
  /** Every status is posted this many times, byte for byte the same. */
  copies: z.int().min(1).max(100).optional(),
  /** The statuses are posted in reverse order. */
  reversed: z.boolean().optional(),
  /** The statuses are posted and answered before the HTTP call is answered. */
  statusesBeforeAnswer: z.boolean().optional(),
  /** Fields left out of statuses and, for wa_id and user_id, of the answer. */
  omit: z.array(z.enum(OMITTABLE)).optional(),
  /** Adds undocumented fields to statuses and the answer. */
  extraFields: z.boolean().optional(),
  /** Adds a lean `contacts` to the value that holds the status. */
  statusContacts: z.boolean().optional(),
  /** The phone is out of reach this long; past the template's time to live it never gets the message. */
  offlineForMs: delay.optional(),
  /** What an expired message reports. Meta promises nothing. */
  whenExpired: z.union([z.literal('silence'), scriptedErrorSchema]).optional(),
})

const matchSchema = z.strictObject({
  /** Recipient: a phone number in any form, or a user id. */
  to: z.string().min(1).optional(),
  /** Sending number: its phone_number_id or its display number. */
  from: z.string().min(1).optional(),
  /** Template name. */
  template: z.string().min(1).optional(),
  /** How many matching sends this applies to. Default: all. */
  times: z.int().min(1).optional(),
})

export const scriptSchema = z.strictObject({ match: matchSchema.default({}), behaviour: behaviourSchema })

export type ScriptedError = z.infer<typeof scriptedErrorSchema>
export type StatusName = (typeof STATUS_NAMES)[number]
export type StatusStep = z.infer<typeof stepSchema>
/** `afterMs` counts from when the message was accepted. */
export type TimedStep = StatusStep & { afterMs: number }
export type Behaviour = z.output<typeof behaviourSchema>
export type BehaviourSeed = z.input<typeof behaviourSchema>
export type ScriptMatch = z.infer<typeof matchSchema>
export type ScriptSeed = z.input<typeof scriptSchema>
