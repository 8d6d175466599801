import { type CodedText, type Texts, type TextValue, coded } from '../../../locales/text.ts'

const LEVELS = ['failure', 'warning', 'ok'] as const
/** `failure`: something does not work, or data can be lost. `warning`: something will stop working, or may. */
export type Level = (typeof LEVELS)[number]

/** Every finding, by the check that reports it. Its words are `doctor.<code>`, its fix is `doctor.<code>_fix`. */
export const FINDINGS = {
  settings: {
    setting_invalid: 'failure',
    public_url_missing: 'warning',
    public_url_loopback: 'failure',
    public_url_plain: 'warning',
    proxies_missing: 'warning',
    private_webhooks: 'warning',
    rate_limit_per_node: 'warning',
    operators_without_second_factor: 'warning',
  },
  nodes: {
    nothing_runs: 'failure',
    no_worker: 'failure',
    no_api: 'failure',
    no_dashboard: 'warning',
    versions_differ: 'warning',
    settings_differ: 'warning',
    node_silent: 'warning',
    node_frozen: 'failure',
    connections_short: 'warning',
  },
  database: {
    database_missing: 'warning',
    database_unreachable: 'failure',
    database_old: 'failure',
    database_encoding: 'failure',
    database_read_only: 'failure',
    not_durable: 'failure',
    autovacuum_off: 'failure',
    autovacuum_off_for_table: 'warning',
    transaction_timeout: 'failure',
  },
  schema: {
    not_migrated: 'warning',
    migrations_pending: 'warning',
    database_newer: 'warning',
    database_contracted: 'failure',
    index_missing: 'failure',
    index_invalid: 'failure',
  },
  key: {
    key_wrong: 'failure',
    former_key_missing: 'failure',
    rotation_unfinished: 'warning',
    key_not_in_use: 'warning',
  },
  pooler: { pooler_shares_sessions: 'failure', pooler_reuses_sessions: 'failure', session_settings_lost: 'failure' },
  replication: { standby_missing: 'failure', standby_lags: 'warning', slot_inactive: 'warning' },
  transactions: {
    events_held: 'failure',
    events_held_by_prepared: 'failure',
    tables_locked: 'failure',
    tables_locked_by_prepared: 'failure',
  },
  clock: { clock_differs: 'warning', clock_wrong: 'failure' },
  disk: { disk_low: 'warning', disk_full: 'failure', disk_inodes: 'failure' },
  work: { work_late: 'warning', work_stuck: 'failure' },
  quarantine: { quarantined: 'failure' },
  leases: { leases_stuck: 'warning' },
  retention: {
    removal_held_clocks: 'warning',
    removal_held_jump: 'failure',
    removal_held_back: 'failure',
    removal_setting_shorter: 'warning',
    retention_behind: 'warning',
    retention_in_use: 'warning',
    held_events_expire: 'warning',
  },
  erasures: { erasure_unfinished: 'warning' },
  setup: {
    account_rejected: 'failure',
    account_unreadable: 'failure',
    account_sync_failed: 'warning',
    sender_unusable: 'failure',
    sender_paused: 'warning',
    sender_quality: 'warning',
    template_stopped: 'warning',
    template_disabled: 'failure',
    template_deleted: 'failure',
    quota_used_up: 'failure',
    verifications_guessed: 'warning',
    verifications_pumped: 'warning',
    endpoint_disabled: 'failure',
    endpoint_failing: 'warning',
    endpoint_secret_unreadable: 'failure',
    hook_secret_unreadable: 'failure',
    workspaces_left_out: 'warning',
  },
  reports: { reports_missing: 'failure' },
  provider: {
    token_rejected: 'failure',
    provider_rejects: 'failure',
    provider_unreachable: 'failure',
    not_subscribed: 'failure',
    accounts_left_out: 'warning',
  },
  public_url: {
    public_url_unknown_host: 'failure',
    public_url_unreachable: 'warning',
    public_url_tls: 'failure',
    public_url_status: 'failure',
    public_url_elsewhere: 'failure',
    certificate_expires: 'warning',
  },
} as const satisfies Record<string, Readonly<Record<string, Level>>>

/** What any check can report instead. */
export const COMMON_FINDINGS = {
  check_failed: 'failure',
  check_slow: 'failure',
  skipped: 'warning',
  ok: 'ok',
} as const satisfies Record<string, Level>

export type CheckName = keyof typeof FINDINGS
export const CHECK_NAMES = Object.keys(FINDINGS) as readonly CheckName[]

type CodesOf<Check> = Check extends CheckName ? keyof (typeof FINDINGS)[Check] & string : never
export type FindingCode = CodesOf<CheckName> | keyof typeof COMMON_FINDINGS

type ParametersOf<Code extends FindingCode> = Texts[`doctor.${Code}`] &
  (`doctor.${Code}_fix` extends keyof Texts ? Texts[`doctor.${Code}_fix`] : object)

/** What a check reports: the code with the parameters of its words and its fix. */
export type NewFinding = {
  [Code in FindingCode]: { readonly code: Code } & Readonly<ParametersOf<Code>>
}[FindingCode]

export type Finding = {
  check: CheckName
  level: Level
  code: FindingCode
  parameters: Readonly<Record<string, TextValue>>
}

const LEVEL_OF: Readonly<Record<string, Level>> = Object.assign({}, COMMON_FINDINGS, ...Object.values(FINDINGS))

/** Of every finding that is a problem, by its code. */
export const SEVERITIES: Readonly<Record<string, Level>> = Object.fromEntries(
  Object.entries(LEVEL_OF).filter(([, level]) => level !== 'ok'),
)

export const toFinding = (check: CheckName, { code, ...parameters }: NewFinding): Finding => ({
  check,
  level: LEVEL_OF[code] ?? 'failure',
  code,
  parameters,
})

const textWith = (code: string, { parameters }: Finding): CodedText =>
  ({ code: `doctor.${code}`, ...parameters }) as unknown as CodedText

export const findingText = (finding: Finding): CodedText => textWith(finding.code, finding)

/** Undefined where there is nothing to fix. */
export const fixText = (finding: Finding): CodedText | undefined =>
  finding.level === 'ok' ? undefined : textWith(`${finding.code}_fix`, finding)

/** Failures first, then in the order of the checks. */
export const inOrder = (findings: readonly Finding[]): Finding[] =>
  LEVELS.flatMap((level) =>
    CHECK_NAMES.flatMap((check) => findings.filter((each) => each.level === level && each.check === check)),
  )

const UNITS = [
  ['days', 86_400_000],
  ['hours', 3_600_000],
  ['minutes', 60_000],
  ['seconds', 1_000],
] as const

/** In the largest unit of which there are at least two, so that rounding loses little. */
export function durationText(ms: number): CodedText {
  const [unit, unitMs] = UNITS.find(([, each]) => Math.abs(ms) >= 2 * each) ?? ['seconds', 1_000]
  return coded(`doctor.${unit}`, { count: Math.round(Math.abs(ms) / unitMs) })
}
