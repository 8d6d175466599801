import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import os from 'node:os'
import { unescape } from 'node:querystring'
import manifest from '../../../package.json' with { type: 'json' }
import { inEnglish } from '../../../locales/resources.ts'
import { asWritten } from '../../../locales/text.ts'
import { DAY_MS, MINUTE_MS, SECOND_MS, later } from '../../lib/clock.ts'
import { type Config, type SettingName, settings } from '../../lib/config.ts'
import { sqlState } from '../../lib/db/pool.ts'
import { UserError } from '../../lib/errors.ts'
import { examine } from '../../operations/doctor/examine.ts'
import { type Finding, findingText, fixText } from '../../operations/doctor/finding.ts'
import { verify } from '../../operations/verify/verify.ts'
import { findEmbeddedVersion } from '../../runtime/start/embedded-postgres/binaries.ts'
import { withTimeout } from '../../lib/with-timeout.ts'
import { writeNewFile } from '../../runtime/start/new-file.ts'
import type { Command, Environment } from '../command.ts'
import { argument, flag, nonEmpty, optional } from '../inputs.ts'
import { STANDARD_INPUT } from '../json-file.ts'
import { openEnvironment } from './doctor.ts'
import { createRedactor, readLogLine } from './redact.ts'

/** The end of the log. */
const MAX_LOG_BYTES = 1_048_576
const MAX_LOG_LINES = 2_000
const MAX_LINE_LENGTH = 4_096
const MAX_FINDINGS = 500
/** What all the limits above allow, and room for their redaction. */
export const MAX_BUNDLE_BYTES = 8 * 1_048_576
/** Older data is compared by "doorcode verify", which may take hours. */
const VERIFIED_MS = DAY_MS
const MAX_VERIFY_MS = 2 * MINUTE_MS

/** Settings whose values say nothing that helps an attacker. All others are only said to be set. */
const SHOWN: readonly SettingName[] = [
  'DOORCODE_PORT',
  'DOORCODE_HOST',
  'DOORCODE_METRICS_PORT',
  'DOORCODE_EMULATOR_PORT',
  'DOORCODE_DATA_DIR',
  'DOORCODE_DATABASE_POOL',
  'DOORCODE_RATE_LIMIT',
  'DOORCODE_PUBLIC_URL',
  'DOORCODE_TRUSTED_PROXIES',
  'DOORCODE_ROLES',
  'DOORCODE_ALLOW_PRIVATE_WEBHOOKS',
  'DOORCODE_KEEP_CONTENT_DAYS',
  'DOORCODE_KEEP_RECORDS_DAYS',
  'DOORCODE_KEEP_AUDIT_DAYS',
  'DOORCODE_DRAIN_SECONDS',
  'DOORCODE_LOG_LEVEL',
  'OTEL_SERVICE_NAME',
]

export const supportBundle: Command = {
  words: 'support-bundle',
  example: '/tmp/doorcode-support.json --log /var/log/doorcode.log',
  summary:
    'Write versions, settings, findings, a verification of the last day and the end of the log to one redacted file.',
  options: {
    file: argument(nonEmpty('file', 'The new file.')),
    log: optional(nonEmpty('file', 'The log whose last lines are added; "-" is standard input.')),
    force: flag('Replace the file if it exists.'),
  },
  work: {
    on: 'environment',
    async run(environment, values) {
      const { file, log, force } = values as { file: string; log?: string; force: boolean }
      const lines = log === undefined ? [] : await readLastLines(log)
      const { bundle, hidden } = await collect(environment, lines)
      const text = `${JSON.stringify(createRedactor(hidden)(bundle), null, 2)}\n`
      const bytes = Buffer.byteLength(text)
      if (bytes > MAX_BUNDLE_BYTES)
        throw new UserError(asWritten(`The bundle would have more than ${MAX_BUNDLE_BYTES} bytes.`))
      await writeNewFile(file, { replace: force, replaceWith: '--force' }, (output) => output.writeFile(text))
      return {
        result: { file, bytes, logLines: lines.length },
        text: `${file} has ${bytes} bytes, with ${lines.length} lines of the log. Keys, tokens, codes, numbers and mail addresses are masked. Read it before you send it.`,
      }
    },
  },
}

/** `hidden`: values of the environment that must not appear anywhere. */
async function collect(
  environment: Environment,
  log: readonly string[],
): Promise<{ bundle: object; hidden: string[] }> {
  const names = Object.keys(settings) as SettingName[]
  const secrets = names.filter((name) => !SHOWN.includes(name)).flatMap((name) => environment[name]?.trim() || [])
  const { findings, verification, fromFiles } = await examineAndVerify(environment)
  return {
    hidden: [...secrets, ...fromFiles].flatMap((value) => [value, ...value.split(/[\s,]+/), ...passwordsOf(value)]),
    bundle: {
      createdAt: new Date().toISOString(),
      versions: {
        doorcode: manifest.version,
        node: process.versions.node,
        postgresql: (await findEmbeddedVersion()) ?? null,
        system: `${os.type()} ${os.release()} ${os.arch()}`,
      },
      settings: Object.fromEntries(
        names.flatMap((name) => {
          const value = environment[name]?.trim() ?? ''
          return value === '' ? [] : [[name, SHOWN.includes(name) ? shown(value) : '[set]']]
        }),
      ),
      // The name `code` is masked.
      doctor: findings.slice(0, MAX_FINDINGS).map((finding) => ({
        finding: finding.code,
        check: finding.check,
        level: finding.level,
        text: inEnglish(findingText(finding)),
        fix: inEnglish(fixText(finding) ?? asWritten('')),
      })),
      verify: verification,
      log: log.map(readLogLine),
    },
  }
}

/** A port, which would be masked as a text. */
const shown = (value: string): string | number => (/^\d{4,5}$/.test(value) ? Number(value) : value)

function passwordsOf(value: string): string[] {
  if (!URL.canParse(value)) return []
  const { password } = new URL(value)
  return [password, unescape(password)] // accepts "100%sure", as the database driver does
}

/** `fromFiles`: secrets that the environment only names a file of. */
async function examineAndVerify(
  environment: Environment,
): Promise<{ findings: Finding[]; verification: object; fromFiles: string[] }> {
  const { instance, known, close } = await openEnvironment(environment)
  const { config } = instance
  try {
    const findings = await examine(instance, { known, outside: config !== undefined })
    if (!config) return { findings, verification: { notMade: 'invalid settings' }, fromFiles: [] }
    return { findings, verification: await verifyLastDay(instance), fromFiles: secretsOf(config) }
  } finally {
    await close()
  }
}

const secretsOf = ({ databaseUrl, alertSecret, alertTarget, secretKeys = [] }: Config): string[] => [
  databaseUrl ?? '',
  alertSecret ?? '',
  alertTarget?.kind === 'webhook' ? alertTarget.url : (alertTarget?.auth?.pass ?? ''),
  ...secretKeys.flatMap((key) => [key.toString('base64'), key.toString('hex')]),
]

/** Differences are named by their ids and codes. */
async function verifyLastDay({
  db,
  clock,
  provider,
}: Awaited<ReturnType<typeof openEnvironment>>['instance']): Promise<object> {
  if (!db || !clock || !provider) return { notMade: 'no database' }
  try {
    const since = later(clock.now(), -VERIFIED_MS)
    const work = verify({ db, provider }, { since })
    if (!(await withTimeout(MAX_VERIFY_MS, work))) {
      work.catch(() => {}) // it ends when the database is closed
      return { notMade: `took longer than ${MAX_VERIFY_MS / SECOND_MS} seconds` }
    }
    const { checked, notVerifiable, differences } = await work
    const shown = differences.shown.map(({ workspaceId, id, code }) => ({ workspaceId, id, difference: code }))
    return { since: since.toISOString(), checked, notVerifiable, differences: { ...differences, shown } }
  } catch (error) {
    return { notMade: error instanceof Error ? `${error.name} ${sqlState(error)}`.trim() : typeof error }
  }
}

/** The whole lines among the last bytes. */
async function readLastLines(name: string): Promise<string[]> {
  try {
    const text = name === STANDARD_INPUT ? await endOf(process.stdin) : await endOfFile(name)
    return text
      .split('\n')
      .filter((line) => line.trim() !== '')
      .slice(-MAX_LOG_LINES)
      .map((line) => (line.length > MAX_LINE_LENGTH ? `${line.slice(0, MAX_LINE_LENGTH).toWellFormed()} [cut]` : line))
  } catch (error) {
    throw new UserError(asWritten(`--log cannot be read: ${error instanceof Error ? error.message : 'unreadable'}`))
  }
}

async function endOfFile(name: string): Promise<string> {
  const file = await open(name)
  try {
    const { size } = await file.stat()
    const start = Math.max(0, size - MAX_LOG_BYTES)
    return await endOf(createReadStream(name, { start }))
  } finally {
    await file.close()
  }
}

async function endOf(stream: AsyncIterable<Buffer>): Promise<string> {
  let end: Buffer = Buffer.alloc(0)
  let isCut = false
  for await (const chunk of stream) {
    end = Buffer.concat([end, chunk])
    isCut ||= end.length > MAX_LOG_BYTES
    end = end.subarray(-MAX_LOG_BYTES)
  }
  const text = end.toString('utf8')
  return isCut ? text.slice(text.indexOf('\n') + 1) : text
}
