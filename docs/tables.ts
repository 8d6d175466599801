import type { z } from 'zod'
import { codesOf } from '../locales/codes.ts'
import { inEnglish, readResources } from '../locales/resources.ts'
import { MAX_PARAMETER_LENGTH } from '../src/accounts/templates/cod-parameters.ts'
import { MAX_HEADER_BYTES } from '../src/api/server.ts'
import { confirmationBody } from '../src/cod/routes.ts'
import { settingsSchema } from '../src/cod/settings/settings.ts'
import { MAX_EVENTS_PER_PAGE } from '../src/events/list.ts'
import { eventTypes } from '../src/events/event-types.ts'
import { MAX_WAITING, MAX_WAITING_PER_KEY, MAX_WAITING_PER_WORKSPACE, MAX_WAIT_SECONDS } from '../src/events/wait.ts'
import { MINUTE_MS, SECOND_MS } from '../src/lib/clock.ts'
import { settings } from '../src/lib/config.ts'
import { databaseFaults } from '../src/lib/db/faults.ts'
import { apiErrors } from '../src/lib/errors.ts'
import { createMetrics } from '../src/lib/metrics.ts'
import { MAX_BODY_BYTES } from '../src/lib/http/body.ts'
import { MAX_FAULTS } from '../src/lib/http/faults.ts'
import { MAX_IDEMPOTENCY_KEY_LENGTH } from '../src/lib/http/fields.ts'
import { REQUESTS_PER_WINDOW, WINDOW_MS } from '../src/lib/http/rate-limit.ts'
import { MESSAGE_STATUSES, type MessageState, type MessageStatus, applyReport } from '../src/messages/status.ts'
import { COMMON_FINDINGS, FINDINGS } from '../src/operations/doctor/finding.ts'
import { otpBody } from '../src/otp/routes.ts'
import { DELIVER_WITHIN_SECONDS } from '../src/otp/view.ts'
import {
  CHECKS_WINDOW_MS,
  MAX_RESENDS,
  MAX_SENDS_A_DAY,
  MAX_SENDS_IN_SHORT,
  MAX_WRONG_A_DAY,
  MIN_APPROVED_OF,
  MIN_RIGHT_OF,
  MIN_SUSPICIOUS,
  MIN_WRONG,
  PREFIX_WINDOW_MS,
  RESEND_INTERVAL_MS,
  SHORT_MS,
  VARIABLE_DIGITS,
} from '../src/otp/verifications/limits.ts'
import { FAILURE_CODES, failureCodes, failurePart } from '../src/providers/failure-codes.ts'
import type { StatusReport } from '../src/providers/provider.ts'
import { ERROR_CODES, errorCodesOf, meaningOfCodes } from '../src/providers/whatsapp/errors.ts'
import { MAX_ENDPOINTS } from '../src/webhooks/endpoints.ts'
import { DEFAULT_MONTHLY_UNITS } from '../src/workspaces/quota.ts'

/** `mark`: the comment above the table. */
type Table = { document: string; mark: string; rows: readonly (readonly string[])[] }

const quoted = (text: string): string => (text === '' ? '' : `\`${text}\``)

const ownerName = (owner: string): string => (owner === 'client' ? 'your backend' : owner)

/** The tables of the documents that the code has as tables. `npm run docs` writes their rows. */
export const tables: readonly Table[] = [
  {
    document: 'failure-codes.md',
    mark: 'failure codes',
    rows: FAILURE_CODES.map((code) => [
      quoted(code),
      ownerName(failureCodes[code].owner),
      failureCodes[code].anotherChannel,
      inEnglish(failurePart(code, 'cause')),
      inEnglish(failurePart(code, 'fix')),
      errorCodesOf(code).join(', ') || 'none',
    ]),
  },
  {
    document: 'errors.md',
    mark: 'errors and fixes',
    rows: Object.entries(apiErrors).map(([code, { status, owner, fix }]) => [
      quoted(code),
      String(status),
      ownerName(owner),
      fix.replaceAll('|', '\\|'),
    ]),
  },
  {
    document: 'configuration.md',
    mark: 'settings',
    rows: Object.entries(settings).map(([name, setting]) => [quoted(name), quoted(setting.default), setting.meaning]),
  },
  { document: 'webhooks.md', mark: 'events', rows: Object.entries(eventTypes).map(([type, when]) => [quoted(type), when]) },
  { document: 'cod-settings.md', mark: 'settings', rows: settingRows('', settingsSchema()) },
  { document: 'doctor.md', mark: 'findings', rows: findingRows() },
  { document: 'monitoring.md', mark: 'metrics', rows: metricRows() },
  { document: 'whatsapp-cloud-api.md', mark: 'errors', rows: whatsappErrorRows() },
  {
    document: 'troubleshooting.md',
    mark: 'database errors',
    rows: databaseFaults.map(({ states, routines, kind, what, why }) => [
      quoted(kind),
      (states.join(', ') || 'every other') + (routines ? ` (${routines.join(', ')})` : ''),
      what,
      why,
    ]),
  },
  {
    document: 'api.md',
    mark: 'errors',
    rows: Object.entries(apiErrors)
      .map(([code, { status }]) => [String(status), quoted(code)] as const)
      .sort(([one], [other]) => one.localeCompare(other)),
  },
  { document: 'api.md', mark: 'limits', rows: limitRows() },
  { document: 'otp.md', mark: 'otp transitions', rows: transitionRows() },
  { document: 'otp.md', mark: 'verification limits', rows: verificationLimitRows() },
]

/** Returns the document with the table's rows. */
export function withRows(text: string, { mark, rows }: Table): string {
  const table = new RegExp(`(<!-- ${mark} -->\n\\|.*\n\\|.*\n)(?:\\|.*\n)*`)
  if (!table.test(text)) throw new Error(`there is no table under <!-- ${mark} -->`)
  const written = rows.map((cells) => `| ${cells.join(' | ')} |\n`).join('')
  return text.replace(table, (_, head: string) => head + written)
}

type SettingSchema = {
  meaning?: string
  limit?: string
  default?: unknown
  properties?: Record<string, SettingSchema>
  additionalProperties?: boolean | SettingSchema
}

/** A row for each setting, and for each setting nested in it. */
function settingRows(name: string, schema: unknown): string[][] {
  const { meaning, limit, properties = {}, additionalProperties, ...rest } = schema as SettingSchema
  if (typeof additionalProperties === 'object')
    return [[quoted(name), meaning ?? '', limit ?? '', 'none'], ...settingRows('<language>', additionalProperties)]
  const within = Object.entries(properties)
  if (within.length > 0)
    return within.flatMap(([member, each]) => settingRows(name === '' ? member : `${name}.${member}`, each))
  if (meaning === undefined || limit === undefined)
    throw new Error(`the COD setting ${name} has no meaning or limit: add both with .meta() in src/cod/settings/settings.ts`)
  return [[quoted(name), meaning, limit, 'default' in rest ? defaultText(rest.default) : 'required']]
}

function defaultText(value: unknown): string {
  if (typeof value === 'number') return value.toLocaleString('en')
  return Array.isArray(value) && value.length === 0 ? 'none' : JSON.stringify(value)
}

function findingRows(): string[][] {
  const texts = codesOf(readResources('en')['doctor'] ?? {})
  const textOf = (code: string): string =>
    (texts.get(code)?.get('') ?? '').replaceAll(/\{\{(\w+)\}\}/g, '*$1*').replaceAll('|', '\\|')
  return Object.entries({ ...FINDINGS, any: COMMON_FINDINGS }).flatMap(([check, findings]) =>
    Object.entries(findings).map(([code, level]) => [quoted(code), check, level, textOf(code), textOf(`${code}_fix`)]),
  )
}

function metricRows(): string[][] {
  const { registry } = createMetrics()
  return registry
    .getMetricsAsArray()
    .map((metric) => [
      quoted(metric.name),
      String(metric.type),
      (Reflect.get(metric, 'labelNames') as string[]).map(quoted).join(', '),
      metric.help,
    ])
    .sort(([one = ''], [other = '']) => one.localeCompare(other))
}

/** The known codes of each meaning. */
function whatsappErrorRows(): string[][] {
  const codesOf = new Map<string, string[]>()
  for (const code of ERROR_CODES) {
    const { class: errorClass, scope, failureCode } = meaningOfCodes(code)
    const meaning = `\`${errorClass}\` | ${scope} | \`${failureCode}\``
    codesOf.set(meaning, [...(codesOf.get(meaning) ?? []), code])
  }
  const byMeaning = [...codesOf].sort(([one], [other]) => one.localeCompare(other))
  return byMeaning.map(([meaning, codes]) => [meaning, codes.join(', ')])
}

function limitRows(): string[][] {
  const count = (max: number): string => max.toLocaleString('en')
  return [
    ['requests of one key, over all routes and nodes', `${REQUESTS_PER_WINDOW} in any ${WINDOW_MS.toLocaleString('en')} ms`],
    ['body', `${count(MAX_BODY_BYTES)} bytes`],
    ['headers together', `${count(MAX_HEADER_BYTES)} bytes`],
    ['`Idempotency-Key`', `0 to ${MAX_IDEMPOTENCY_KEY_LENGTH} characters`],
    ['`code`', `1 to ${maxLengthOf(otpBody.shape.code)} characters of A–Z, a–z, 0–9`],
    [
      '`deliverWithinSeconds` of a code or verification',
      `${count(DELIVER_WITHIN_SECONDS.min)} to ${count(DELIVER_WITHIN_SECONDS.max)}, optional`,
    ],
    ['`reference` of a code', `0 to ${maxLengthOf(otpBody.shape.reference)} characters, optional`],
    [
      '`reference` of a confirmation',
      `1 to ${maxLengthOf(confirmationBody.shape.reference)} characters, required, need not be unique`,
    ],
    ['value of a template parameter', `1 to ${count(MAX_PARAMETER_LENGTH)} characters, not blank`],
    ['faults listed in one response', String(MAX_FAULTS)],
    ['refusal checks of a confirmation', '1'],
    ['units of each kind a month, until they are set', count(DEFAULT_MONTHLY_UNITS)],
    ['webhook endpoints of a workspace', String(MAX_ENDPOINTS)],
    ['events in one response', `1 to ${MAX_EVENTS_PER_PAGE}`],
    ['wait for an event', `0 to ${MAX_WAIT_SECONDS} s`],
    ['waiting event requests per key and node', String(MAX_WAITING_PER_KEY)],
    ['waiting event requests per workspace and node', String(MAX_WAITING_PER_WORKSPACE)],
    ['waiting event requests per node', String(MAX_WAITING)],
  ]
}

function maxLengthOf(schema: z.ZodType): number {
  let length = 1
  while (schema.safeParse('x'.repeat(length + 1)).success) length += 1
  return length
}

function verificationLimitRows(): string[][] {
  const minutes = (ms: number): string => `${ms / MINUTE_MS} minutes`
  return [
    ['codes to one recipient', `${MAX_SENDS_IN_SHORT} within ${minutes(SHORT_MS)}, ${MAX_SENDS_A_DAY} within 24 hours`],
    ['wrong codes for one recipient', `${MAX_WRONG_A_DAY} within 24 hours`],
    [
      `verifications of numbers that differ only in their last ${VARIABLE_DIGITS} digits`,
      `${MIN_SUSPICIOUS} within ${minutes(PREFIX_WINDOW_MS)}, unless one of ${MIN_APPROVED_OF} is approved`,
    ],
    [
      'wrong codes in a workspace',
      `${MIN_WRONG} within ${minutes(CHECKS_WINDOW_MS)}, unless one of ${MIN_RIGHT_OF} checked codes is right`,
    ],
    ['resends of a verification', `${MAX_RESENDS}, ${RESEND_INTERVAL_MS / SECOND_MS} seconds apart`],
  ]
}

/** What each report does in each status. */
function transitionRows(): string[][] {
  const outcomes = ['sent', 'delivered', 'read', 'played', 'failed'] as const
  const cells = (status: MessageStatus, ours: boolean) => outcomes.map((outcome) => statusAfter({ status, ours }, outcome))
  const begun = MESSAGE_STATUSES.filter((status) => !['accepted', 'received', 'failed'].includes(status))
  return [
    ...begun.map((status) => [quoted(status), ...cells(status, false)]),
    ['`failed`, reported by WhatsApp', ...cells('failed', false)],
    ['`failed`, given up by Doorcode', ...cells('failed', true)],
  ]
}

/** The status after a report from before the failure, and after one from after it. */
function statusAfter({ status, ours }: { status: MessageStatus; ours: boolean }, outcome: StatusReport['outcome']): string {
  const [failedAt, ...times] = [1, 0, 2].map((minutes) => new Date(minutes * MINUTE_MS)) as [Date, Date, Date]
  const failure = status === 'failed' ? { code: 'UNKNOWN' as const, at: failedAt, ours } : null
  const state: MessageState = { status, sentAt: null, failure, sentEventRecorded: false, failedEventRecorded: false }
  const [earlier, later] = times.map((at) => {
    const step = applyReport(state, { outcome, failureCode: outcome === 'failed' ? 'UNKNOWN' : null, ours: false }, at)
    return step.ignored === null ? step.state.status : undefined
  })
  if (later === undefined) return '–'
  return earlier === later ? quoted(later) : `${quoted(later)} if later`
}
