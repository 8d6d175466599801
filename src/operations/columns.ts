/**
 * The life of every row: whose data its columns hold, what is sealed, when it is in use, how long it is kept and with what it is removed.
 * Erasure, retention, the purge of deleted workspaces, export, key rotation, backups and the guards read this table. A migration
 * that adds a table or a text column must add an entry here (test/guards/personal-data.test.ts).
 */

/**
 * What a column holds about a person: it decides what an erasure leaves of it (docs/personal-data.md#erase), and whether the removal of
 * old content empties it (docs/retention.md). `lifecycle/rows.ts` has the SQL for each, except for the last three:
 * report: `lifecycle/recipients/reports.ts` · mention: `lifecycle/recipients/audit-entries.ts` · row: `lifecycle/recipients/erase.ts`.
 */
export type PersonalDataKind =
  | 'number'
  | 'user_id'
  /** The provider's id, which contains the number in another form. */
  | 'provider_id'
  /** The backend's own texts, which stay unless they contain the number. */
  | 'reference'
  | 'idempotency_key'
  /** What is sent to the person. */
  | 'message'
  | 'parameters'
  /** A document whose members `note` and `reschedule.note` a customer wrote. */
  | 'notes'
  | 'text'
  /** What the provider wrote about a fault: it may repeat the values of a message. */
  | 'error'
  | 'payload'
  | 'report'
  /** A number among other facts. */
  | 'mention'
  | 'row'

export type Life = {
  /** The columns with a recipient's data. */
  person?: Readonly<Record<string, PersonalDataKind>>
  /** The other texts of a table that has `person`: codes, and names that Doorcode or the shop chose. */
  others?: string
  /** What an export of the person contains of a row, as `column` or `column:name`. */
  exported?: string
  /** Columns that are sealed under the instance key, and the context of each. A rotation seals them again. */
  sealed?: Readonly<Record<string, (id: string) => string>>
  /** The condition of the few rows with something sealed, if most rows have nothing. */
  sealedWhile?: string
  /** Binary columns that no rotation seals again, and why. */
  notSealed?: Readonly<Record<string, string>>
  /** The table of the row that it belongs to, by column: it is removed and erased with that row. Only one of several columns is set. */
  partOf?: Readonly<Record<string, string>>
  /** Whether work that has begun still needs the row `of`: retention waits for its end. */
  inUse?: (of: string) => string
  /** Whether the row has a lease while it is being sent (`isBeingSent`). */
  leased?: true
  /** The setting for how many days the row is kept. Undefined if it is kept as long as the row that it belongs to, or as long as it is needed. */
  kept?: 'records' | 'audit'
  /**
   * How it is removed with its workspace. work: in batches, while requests under way may add more · part: with the row that it
   * is part of · scan: by reading the table, which has no index by workspace · setup: in the order of this table, at the end ·
   * stays: it belongs to the whole instance, or is worth nothing after a minute, or (the audit log) keeps what was done.
   */
  purge: 'work' | 'part' | 'scan' | 'setup' | 'stays'
  /** Why a backup leaves it out. */
  notInBackup?: string
}

/** Whether the lease of a row still runs at `now`: it ends at the row's due_at. */
export const isBeingSent = (of: string, now: string): string =>
  `((${of}.lease is not null and ${of}.due_at > ${now}) is true)`

const timerRuns = (of: string): string => `(${of}.timer_due_at is not null and ${of}.timer_quarantined_at is null)`

/** Parts of a row come before it: with their workspace, rows are removed in this order. */
export const tables = {
  audit_log: {
    person: { target: 'mention', before: 'mention', after: 'mention' },
    others: 'user_id who action',
    kept: 'audit',
    purge: 'stays',
  },
  template_changes: { kept: 'records', purge: 'setup' },
  provider_reports: {
    person: { body: 'report', provider_message_id: 'report' },
    others: 'kind outcome note',
    exported: 'id kind provider_message_id occurred_at received_at outcome note body',
    inUse: (of) => `(${of}.due_at is not null)`,
    kept: 'records',
    purge: 'scan',
  },
  webhook_attempts: {
    person: { response: 'text' },
    others: 'error',
    exported: 'attempt started_at duration_ms http_status error response',
    partOf: { webhook_deliveries: 'delivery_id' },
    purge: 'part',
  },
  webhook_deliveries: {
    person: {},
    others: 'status',
    exported: 'id endpoint_id status created_at ended_at',
    partOf: { events: 'event_id' },
    // Not its lease: a held delivery keeps the lease of an attempt whose result was lost.
    inUse: (of) => `(${of}.status = 'pending')`,
    leased: true,
    purge: 'work',
  },
  events: {
    person: { body: 'payload' },
    others: 'type',
    exported: 'id type occurred_at recorded_at body',
    partOf: { messages: 'message_id', confirmations: 'confirmation_id' },
    kept: 'records',
    purge: 'work',
  },
  message_attempts: {
    person: { detail: 'error' },
    others: 'outcome',
    exported: 'attempt started_at ended_at outcome http_status provider_code detail',
    partOf: { messages: 'message_id' },
    purge: 'part',
  },
  otp_verifications: {
    person: { recipient: 'number', idempotency_key: 'idempotency_key' },
    others: 'country status sent_at wrong_at',
    exported: `id recipient:to country idempotency_key code_length ttl_seconds max_attempts created_at expires_at status sent_at
      wrong_at ended_at`,
    // never exported; only a verification that is pending has one
    sealed: { code_key: (id) => `verification:${id}` },
    sealedWhile: 'due_at is not null',
    notSealed: { code_hash: 'a hash, keyed with the column that is sealed' },
    partOf: { messages: 'id' },
    inUse: (of) => `(${of}.due_at is not null)`,
    purge: 'part',
  },
  messages: {
    person: {
      recipient: 'number',
      content: 'message',
      provider_message_id: 'provider_id',
      reference: 'reference',
      idempotency_key: 'idempotency_key',
    },
    others: `kind template_name template_language api_key_id check_kind purpose offered status failure_code own_failure
      last_failure_code finish_error`,
    exported: `id kind check_kind:check purpose sender_id recipient:to template_name template_language reference idempotency_key
      correlation_id created_at content offered status provider_message_id accepted_at sent_at deliver_within_seconds
      undelivered_event_at:undelivered_at failure_code failed_at`,
    // never exported; only a message that is due has one
    sealed: { code: (id) => `otp:${id}` },
    sealedWhile: 'due_at is not null and code is not null',
    partOf: { confirmations: 'confirmation_id' },
    inUse: (of) => `(${of}.due_at is not null or ${of}.lease is not null)`,
    leased: true,
    kept: 'records',
    purge: 'work',
  },
  cod_answers: {
    person: { detail: 'notes' },
    others: 'check_kind answer',
    exported: 'check_kind:check answer detail answered_at superseded',
    partOf: { confirmations: 'confirmation_id' },
    purge: 'part',
  },
  refusal_checks: {
    person: { parameters: 'parameters', note: 'text', idempotency_key: 'idempotency_key' },
    others: 'template_name template_language api_key_id status answer_times reason failure_code timer_error',
    exported: `template_name template_language parameters idempotency_key created_at status answered_at reason note
      failure_code`,
    partOf: { confirmations: 'confirmation_id' },
    inUse: timerRuns,
    purge: 'part',
  },
  confirmations: {
    person: {
      recipient: 'number',
      customer_user_id: 'user_id',
      parameters: 'parameters',
      reschedule: 'notes',
      choices: 'notes',
      reference: 'reference',
      idempotency_key: 'idempotency_key',
    },
    others: 'template_name template_language api_key_id status answer_times internal_inputs failure_code timer_error',
    exported: `id sender_id recipient:to customer_user_id template_name template_language parameters reference idempotency_key
      correlation_id created_at status answered_at choices reschedule failure_code`,
    inUse: timerRuns,
    kept: 'records',
    purge: 'work',
  },
  pair_pace: { person: { recipient: 'row' }, purge: 'stays' },

  auth_hooks: {
    sealed: { secret: (id) => `hook:${id}`, previous_secret: (id) => `hook:${id}` },
    purge: 'setup',
  },
  sender_pace: { partOf: { senders: 'sender_id' }, purge: 'setup' },
  senders: { purge: 'setup' },
  templates: { purge: 'setup' },
  provider_accounts: {
    sealed: {
      access_token: (id) => `account:${id}:access_token`,
      verify_token: (id) => `account:${id}:verify_token`,
      app_secret: (id) => `account:${id}:app_secret`,
      previous_app_secret: (id) => `account:${id}:app_secret`,
    },
    purge: 'setup',
  },
  webhook_endpoints: {
    sealed: { secret: (id) => `endpoint:${id}`, previous_secret: (id) => `endpoint:${id}` },
    purge: 'setup',
  },
  cod_settings: { purge: 'setup' },
  blocked_recipients: { person: { phone: 'row', reason: 'row' }, others: 'blocked_by', purge: 'setup' },
  unfinished_erasures: {
    sealed: { person: (id) => `erasure:${id}` },
    notSealed: { person_hash: 'a hash, which the rotation replaces with the column that it seals' },
    purge: 'setup',
  },
  daily_figures: { purge: 'setup' },
  otp_checks: { purge: 'setup' },
  clock_moves: { purge: 'setup' },
  sandbox_work: { purge: 'setup' },
  quota_usage: { purge: 'setup' },
  quotas: { purge: 'setup' },
  api_keys: { notSealed: { secret_hash: 'a hash' }, purge: 'setup' },
  access_links: { notSealed: { token_hash: 'a hash' }, purge: 'setup' },
  members: { purge: 'setup' },

  workspaces: { purge: 'stays' },
  instance: {
    notSealed: { key_check: 'replaced when the key is', sign_in_secret: 'replaced when the key is' },
    purge: 'stays',
  },
  operators: { purge: 'stays' },
  rate_limits: { purge: 'stays' },
  removal_guard: { purge: 'stays' },
  retention: { purge: 'stays' },
  retention_postponed: { purge: 'stays' },
  sign_in_attempts: { notSealed: { account: 'a hash' }, purge: 'stays' },
  used_sign_in_codes: {
    notSealed: { code: 'a hash, keyed with the sign-in secret, of a code that is valid for 90 seconds' },
    purge: 'stays',
  },
  traces: { purge: 'stays', notInBackup: 'connects work with the requests of the last days' },
  doctor_runs: { purge: 'stays', notInBackup: 'examinations of the original instance' },
  doctor_findings: { purge: 'stays', notInBackup: 'what was wrong with the original instance' },
  migrations: { purge: 'stays', notInBackup: 'the restore migrates the database itself' },
  nodes: { purge: 'stays', notInBackup: 'processes that work on the original database' },
  leases: {
    purge: 'stays',
    notInBackup:
      'the work of these processes: a restored claim ends like that of a dead process (docs/backup.md#after-a-restore)',
  },
  'auth.session': {
    purge: 'stays',
    notInBackup: 'sessions: a person who has the file could use them, so everyone must sign in again',
  },
  'auth.verification': { purge: 'stays', notInBackup: 'sign-ins in progress' },
  'auth.rateLimit': { purge: 'stays', notInBackup: 'counts requests of the last minute' },
} as const satisfies Record<string, Life>

export type Table = keyof typeof tables

/** The entry of any table, with the optional members. */
export const lifeOf = (table: Table): Life => tables[table]

export const tableNames = Object.keys(tables) as Table[]

/** The tables whose rows belong to a row of this table, and the column that refers to it. */
export const partsOf = (table: Table): { part: Table; column: string }[] =>
  tableNames.flatMap((part) => {
    const column = lifeOf(part).partOf?.[table]
    return column === undefined ? [] : [{ part, column }]
  })
