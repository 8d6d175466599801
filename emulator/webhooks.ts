import { createHmac } from 'node:crypto'
import { Agent, request } from 'undici'
import { type Noting, UNNOTED } from './changes.ts'
import { META_LIMITS, TWIN_LIMITS, WEBHOOK_RETRY_GAPS_MS } from './limits.ts'
import { mergeUpdates, toWireJson } from './webhook-body.ts'
import type { Account, Accounts } from './accounts.ts'
import type { Messages } from './messages.ts'
import type { Update } from './webhook-body.ts'
import type { Timers } from './timers.ts'

export type Attempt = { at: number; tookMs: number; httpStatus: number | undefined; fault: string | undefined }

/** One POST to a callback with all attempts at it. Several updates may share it. */
export type WebhookPost = {
  id: string
  accountId: string
  url: string
  updates: number
  /** What each of them tells: a status, the type of a customer's message, or a field. */
  tells: readonly string[]
  /** Milliseconds since 1970. */
  sealedAt: number
  attempts: Attempt[]
  state: 'waiting' | 'answered' | 'lost'
  /** The bytes as sent, shortened. */
  body: string
}

export type Batch = { maxUpdates: number; windowMs: number }

export type OutboxOptions = {
  batch: Batch
  retrySpeed: number
  retryGapsMs: readonly number[] | undefined
  now: () => number
  log: (line: string) => void
  changes?: Noting
  /** A status of this message is told by a post now. */
  onTold?: (messageId: string) => void
  /** Waited for before anything is told: what a business was told the twin must know after a crash. */
  written?: () => Promise<void> | undefined
}

export type OutboxCounts = {
  updates: number
  posts: number
  attempts: number
  answered: number
  refused: number
  lost: number
  unsubscribed: number
}

/** The updates for one callback: queued, gathered for a moment, posted a bounded number at a time. */
type Lane = { account: Account; url: string; secret: string; waiting: Waiting[]; gathering: boolean; inFlight: number }
/** An update in the order in which it is told. */
export type Waiting = { key: string; lane: Pick<Lane, 'account' | 'url'>; update: Update }
/** A post with what is sent at each attempt. */
export type Sealed = { post: WebhookPost; bytes: Buffer; signature: string }

export class Outbox {
  readonly counts: OutboxCounts = {
    updates: 0,
    posts: 0,
    attempts: 0,
    answered: 0,
    refused: 0,
    lost: 0,
    unsubscribed: 0,
  }
  readonly #options: OutboxOptions
  readonly #timers: Timers
  readonly #onIdle: () => void
  readonly #lanes = new Map<string, Lane>()
  readonly #agent = new Agent({
    connections: TWIN_LIMITS.postsInFlight,
    headersTimeout: TWIN_LIMITS.webhookTimeoutMs,
    bodyTimeout: TWIN_LIMITS.webhookTimeoutMs,
    connectTimeout: TWIN_LIMITS.webhookTimeoutMs,
  })
  readonly #listeners = new Set<(post: WebhookPost) => void>()
  /** Sent, and not answered yet. */
  readonly #underWay = new Map<string, Sealed>()
  readonly #changes: Noting
  #posts: WebhookPost[] = []
  #nextId = 1
  #nextWaiting = 1
  #retryBytes = 0
  #paused = false
  #closed = false

  constructor(options: OutboxOptions, timers: Timers, onIdle: () => void) {
    this.#options = options
    this.#changes = options.changes ?? UNNOTED
    this.#timers = timers
    this.#onIdle = onIdle
    timers.handle('webhook', ({ sealed }) => {
      this.#retryBytes -= sealed.bytes.length
      void this.#attempt(sealed)
    })
  }

  /** Posts that were sent and not answered yet. */
  underWay(): WebhookPost[] {
    return Array.from(this.#underWay.values(), ({ post }) => post)
  }

  /** Updates that wait or are on their way, without those that a pause holds back. */
  get busy(): number {
    let gathering = 0
    if (!this.#paused) for (const lane of this.#lanes.values()) gathering += lane.waiting.length
    return this.#underWay.size + gathering
  }

  get paused(): boolean {
    return this.#paused
  }

  posts(): WebhookPost[] {
    return [...this.#posts]
  }

  /** Called when a post leaves, and after each attempt at it. */
  onChange(listener: (post: WebhookPost) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Queues an update for the account's callback, to be posted with its neighbours. */
  send(account: Account, update: Update): void {
    const lane = this.#laneOf(account)
    if (lane === undefined) return
    this.counts.updates++
    this.#wait(lane, update)
    if (lane.waiting.length > TWIN_LIMITS.updatesWaiting) {
      this.#taken(lane.waiting.splice(0, 1))
      this.counts.lost++
    }
    this.#gather(lane)
  }

  /** Posts at once and by itself, pause or not. Resolves when the first attempt was answered or has failed. */
  async sendNow(account: Account, updates: Update[]): Promise<WebhookPost | undefined> {
    const lane = this.#laneOf(account)
    if (lane === undefined) return undefined
    this.counts.updates += updates.length
    const sealed = this.#seal(lane, updates)
    await this.#attempt(sealed)
    return sealed.post
  }

  pause(): void {
    this.#paused = true
    this.#changes.noteHead()
  }

  resume(): void {
    this.#paused = false
    this.#changes.noteHead()
    for (const lane of this.#lanes.values()) this.#gather(lane)
  }

  clear(): void {
    for (const lane of this.#lanes.values()) this.#taken(lane.waiting.splice(0))
    // A lane that was gathering has lost its timer: the next update makes a new lane.
    this.#lanes.clear()
    this.#retryBytes = 0
    for (const { id } of this.#posts) this.#changes.note('listed', id, undefined)
    this.#posts = []
    this.#paused = false
    this.#changes.noteHead()
  }

  async close(): Promise<void> {
    this.#closed = true
    this.clear()
    await this.#agent.destroy()
  }

  get nextId(): number {
    return this.#nextId
  }

  waiting(): [string, Waiting][] {
    return [...this.#lanes.values()].flatMap(({ waiting }) => waiting.map((one): [string, Waiting] => [one.key, one]))
  }

  sealedUnderWay(): Iterable<[string, Sealed]> {
    return this.#underWay
  }

  /** Posts by their ids. Of one that was sent and not answered nobody knows whether it came: it is sent again. */
  restore(kept: KeptOutbox, { accounts, messages, posts }: Known): void {
    this.#nextId = kept.nextIds.posts
    this.#paused = kept.paused
    this.#posts = kept.listed.flatMap(([id]) => posts.get(id) ?? [])
    for (const [, sealed] of kept.underWay) this.retryIn(0, restoreSealed(sealed, posts))
    for (const [, { accountId, url, ...update }] of kept.waiting) {
      const account = accounts.find(accountId)
      if (account === undefined) continue
      const lane = this.#openLane(account, url)
      this.#wait(lane, restoreUpdate(update, messages))
      if (!this.#paused && !lane.gathering) this.#flushLater(lane)
    }
  }

  /** Another attempt after so many milliseconds, whatever the speed. */
  retryIn(ms: number, sealed: Sealed | undefined): void {
    if (sealed === undefined) return
    this.#retryBytes += sealed.bytes.length
    this.#timers.afterUnscaled(ms, { kind: 'webhook', sealed })
  }

  #laneOf(account: Account): Lane | undefined {
    const url = account.overrideCallbackUrl ?? account.callbackUrl
    if (account.subscribed && url !== undefined && !this.#closed) return this.#openLane(account, url)
    this.counts.unsubscribed++
    return undefined
  }

  #openLane(account: Account, url: string): Lane {
    const key = `${account.id} ${url}`
    let lane = this.#lanes.get(key)
    if (lane === undefined) {
      lane = { account, url, secret: account.appSecret, waiting: [], gathering: false, inFlight: 0 }
      this.#lanes.set(key, lane)
    }
    return lane
  }

  #wait(lane: Lane, update: Update): void {
    const waiting = { key: String(this.#nextWaiting++), lane, update }
    lane.waiting.push(waiting)
    this.#changes.note('waiting', waiting.key, waiting)
  }

  #taken(waiting: readonly Waiting[]): Update[] {
    for (const { key } of waiting) this.#changes.note('waiting', key, undefined)
    return waiting.map(({ update }) => update)
  }

  #gather(lane: Lane): void {
    if (this.#paused || lane.waiting.length === 0) return
    if (lane.waiting.length >= this.#options.batch.maxUpdates) this.#flush(lane)
    if (!lane.gathering && lane.waiting.length > 0) this.#flushLater(lane)
  }

  #flushLater(lane: Lane): void {
    lane.gathering = true
    this.#timers.afterUnscaled(this.#options.batch.windowMs, () => {
      lane.gathering = false
      this.#flush(lane)
    })
  }

  #flush(lane: Lane): void {
    while (!this.#paused && lane.waiting.length > 0 && lane.inFlight < TWIN_LIMITS.postsInFlight) {
      const most = Math.min(this.#options.batch.maxUpdates, META_LIMITS.updatesPerWebhook)
      const updates = this.#taken(lane.waiting.splice(0, most))
      lane.inFlight++
      void this.#attempt(this.#seal(lane, updates)).finally(() => {
        lane.inFlight--
        this.#flush(lane)
      })
    }
  }

  #seal(lane: Lane, updates: Update[]): Sealed {
    const text = toWireJson(mergeUpdates(lane.account.id, updates, this.#options.now()))
    const bytes = Buffer.from(text, 'latin1')
    const post: WebhookPost = {
      id: `post-${this.#nextId++}`,
      accountId: lane.account.id,
      url: lane.url,
      updates: updates.length,
      tells: updates.map(whatIsTold),
      sealedAt: this.#options.now(),
      attempts: [],
      state: 'waiting',
      body: text.slice(0, TWIN_LIMITS.webhookBodyCharactersKept),
    }
    for (const update of updates) {
      if (update.kind !== 'status' || update.record === undefined) continue
      update.record.post = post
      this.#options.onTold?.(update.status.id)
    }
    this.counts.posts++
    this.#posts.push(post)
    this.#changes.note('listed', post.id, true)
    this.#forgetOldestBody()
    this.#changed(post)
    return { post, bytes, signature: sign(bytes, lane.secret) }
  }

  /** Messages keep pointing at their posts, but only the latest posts keep their bodies. */
  #forgetOldestBody(): void {
    const forgotten = this.#posts.length > TWIN_LIMITS.webhookPostsKept ? this.#posts.shift() : undefined
    if (forgotten === undefined) return
    forgotten.body = ''
    this.#changes.note('posts', forgotten.id, forgotten)
    this.#changes.note('listed', forgotten.id, undefined)
  }

  async #attempt(sealed: Sealed): Promise<void> {
    const { post } = sealed
    this.#underWay.set(post.id, sealed)
    this.#changes.note('underWay', post.id, sealed)
    await this.#options.written?.()
    const attempt = await this.#post(sealed)
    this.#underWay.delete(post.id)
    this.#changes.note('underWay', post.id, undefined)
    post.attempts.push(attempt)
    this.counts.attempts++
    if (attempt.httpStatus === 200) {
      post.state = 'answered'
      this.counts.answered++
    } else {
      this.counts.refused++
      this.#retryLater(sealed)
    }
    this.#changed(post)
    this.#onIdle()
  }

  #changed(post: WebhookPost): void {
    this.#changes.note('posts', post.id, post)
    for (const listener of this.#listeners) listener(post)
  }

  #retryLater(sealed: Sealed): void {
    const { post } = sealed
    const gaps = this.#options.retryGapsMs ?? WEBHOOK_RETRY_GAPS_MS
    const gap = gaps[post.attempts.length - 1]
    const answer = post.attempts.at(-1)
    this.#options.log(`webhook ${post.id} was not answered 200 but ${answer?.httpStatus ?? answer?.fault}`)
    const full = this.#retryBytes + sealed.bytes.length > TWIN_LIMITS.retryBytesWaiting
    if (gap === undefined || full || this.#closed) {
      post.state = 'lost'
      this.counts.lost += post.updates
      return
    }
    this.retryIn(gap * this.#options.retrySpeed, sealed)
  }

  async #post({ post, bytes, signature }: Sealed): Promise<Attempt> {
    const at = this.#options.now()
    const startedAt = performance.now()
    const done = (httpStatus: number | undefined, fault: string | undefined): Attempt => {
      return { at, tookMs: Math.round(performance.now() - startedAt), httpStatus, fault }
    }
    try {
      const answer = await request(post.url, {
        method: 'POST',
        dispatcher: this.#agent,
        headers: {
          'content-type': 'application/json',
          'user-agent': 'facebookexternalua',
          'x-hub-signature-256': signature,
        },
        body: bytes,
      })
      await answer.body.dump()
      return done(answer.statusCode, undefined)
    } catch (fault) {
      return done(undefined, fault instanceof Error ? fault.message || fault.name : String(fault))
    }
  }
}

type KeptOutbox = {
  nextIds: { posts: number }
  paused: boolean
  listed: [string, true][]
  underWay: [string, ReturnType<typeof keepSealed>][]
  waiting: [string, ReturnType<typeof keepUpdate> & { accountId: string; url: string }][]
}
type Known = { accounts: Accounts; messages: Messages; posts: ReadonlyMap<string, WebhookPost> }

export function keepSealed({ post, bytes, signature }: Sealed) {
  return { post: post.id, body: bytes.toString('latin1'), signature }
}

export function restoreSealed(
  { post: id, body, signature }: ReturnType<typeof keepSealed>,
  posts: ReadonlyMap<string, WebhookPost>,
): Sealed | undefined {
  const post = posts.get(id)
  return post && { post, bytes: Buffer.from(body, 'latin1'), signature }
}

/** `place`: of the record among the statuses of its message. */
export function keepUpdate(update: Update, messages: Messages) {
  if (update.kind !== 'status') return { update, place: -1 }
  const { record, ...rest } = update
  const place = record === undefined ? -1 : (messages.find(rest.status.id)?.statuses.indexOf(record) ?? -1)
  return { update: { ...rest, record: undefined }, place }
}

function restoreUpdate({ update, place }: ReturnType<typeof keepUpdate>, messages: Messages): Update {
  return update.kind === 'status' ? { ...update, record: messages.find(update.status.id)?.statuses[place] } : update
}

function whatIsTold(update: Update): string {
  switch (update.kind) {
    case 'status':
      return update.status.status
    case 'message':
      return update.message.type
    case 'field':
      return update.field
  }
}

/** The value of X-Hub-Signature-256. */
export function sign(body: Buffer | string, appSecret: string): string {
  return `sha256=${createHmac('sha256', appSecret).update(body).digest('hex')}`
}
