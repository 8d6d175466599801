import { createHmac } from 'node:crypto'
import { Agent, request } from 'undici'
import type { Account, Accounts } from '../accounts/accounts.ts'
import { EMULATOR_LIMITS, WEBHOOK_RETRY_GAPS_MS } from '../limits.ts'
import { Listeners } from '../listeners.ts'
import { type NextIds, SavedMap, type Storage } from '../store/saved-map.ts'
import type { Timers } from '../time/timers.ts'
import type { Attempt, WebhookPost } from '../wire/chats.ts'
import { type Update, mergeUpdates, toWireJson } from './webhook-body.ts'

export type Batch = { maxUpdates: number; windowMs: number }

type Options = {
  batch: Batch
  retrySpeed: number
  retryGapsMs: readonly number[] | undefined
  isPaused: boolean
  now: () => number
  log: (line: string) => void
  timers: Timers
  storage: Storage
  nextIds: NextIds
  /** The posts that an earlier process saved, by id. */
  savedPosts: ReadonlyMap<string, WebhookPost>
  /** Links a status to its post; `place` is the index among the message's statuses. */
  onPostCreated: (messageId: string, place: number, post: WebhookPost) => void
  /** Called before each attempt: after a crash the emulator must know what it has sent. */
  flush: () => void
  onIdle: () => void
}

/** The updates for one callback: batched for a moment, posted with bounded concurrency. */
type CallbackQueue = {
  account: Account
  url: string
  waiting: SavedMap<QueuedUpdate>
  gathering: boolean
  inFlight: number
}
type QueuedUpdate = { accountId: string; url: string; update: Update }
/** A post with its JSON, which is ASCII, and its signature: the same for each attempt. */
type SignedPost = { post: WebhookPost; json: string; signature: string }
type SavedSignedPost = { post: string; json: string; signature: string }

export class Outbox {
  /** Counts since the start. `lost` and `updates` count updates, the others count posts and attempts. */
  readonly counts = { updates: 0, posts: 0, attempts: 0, answered: 0, rejected: 0, lost: 0, unsubscribed: 0 }
  readonly #options: Options
  readonly #queues = new Map<string, CallbackQueue>()
  readonly #agent = new Agent({
    connections: EMULATOR_LIMITS.postsInFlight,
    headersTimeout: EMULATOR_LIMITS.webhookTimeoutMs,
    bodyTimeout: EMULATOR_LIMITS.webhookTimeoutMs,
    connectTimeout: EMULATOR_LIMITS.webhookTimeoutMs,
  })
  readonly #changes = new Listeners<WebhookPost>()
  /** Called when a post leaves, and after each attempt at it. */
  readonly onChange = this.#changes.add
  /** The latest posts, which keep their bodies. */
  readonly #listed: SavedMap<WebhookPost, true>
  /** Sent and unanswered. */
  readonly #underWay: SavedMap<SignedPost, SavedSignedPost>
  #nextWaiting = 1
  #retryBytes = 0
  #paused: boolean
  #closed = false

  constructor(options: Options) {
    const { storage, savedPosts, isPaused, timers } = options
    this.#options = options
    this.#paused = isPaused
    this.#listed = new SavedMap('listed', storage, { toRow: () => true, fromRow: (_row, id) => savedPosts.get(id) })
    // `restore` sends the posts of an earlier process again.
    this.#underWay = new SavedMap('underWay', storage, { toRow, fromRow: () => undefined })
    timers.define<SignedPost, SavedSignedPost>('webhook', {
      run: (signed) => {
        this.#retryBytes -= signed.json.length
        void this.#attempt(signed)
      },
      due: ({ post }) => ({ kind: 'webhook', what: [...new Set(post.labels)].join(', '), phone: null, number: null }),
      toRow,
      fromRow: ({ post: id, ...row }) => {
        const post = savedPosts.get(id)
        if (post !== undefined) this.#retryBytes += row.json.length
        return post && { ...row, post }
      },
    })
  }

  /** Posts that were sent and are unanswered. */
  underWay(): WebhookPost[] {
    return Array.from(this.#underWay.values(), ({ post }) => post)
  }

  /** Updates that wait or are being posted, except those that a pause holds back. */
  get busy(): number {
    let gathering = 0
    if (!this.#paused) for (const queue of this.#queues.values()) gathering += queue.waiting.size
    return this.#underWay.size + gathering
  }

  get paused(): boolean {
    return this.#paused
  }

  posts(): WebhookPost[] {
    return [...this.#listed.values()]
  }

  /** Queues an update for the account's callback. */
  send(account: Account, update: Update): void {
    const queue = this.#queueOf(account)
    if (queue === undefined) return
    this.counts.updates++
    this.#wait(queue, update)
    if (queue.waiting.size > EMULATOR_LIMITS.updatesWaiting) {
      this.#take(queue, 1)
      this.counts.lost++
    }
    this.#gather(queue)
  }

  /** Posts immediately and separately, paused or not. Resolves when the first attempt was answered or failed. */
  async sendNow(account: Account, update: Update): Promise<WebhookPost | undefined> {
    const queue = this.#queueOf(account)
    if (queue === undefined) return undefined
    this.counts.updates++
    const signed = this.#sign(queue, [update])
    await this.#attempt(signed)
    return signed.post
  }

  pause(): void {
    this.#paused = true
    this.#options.storage.touch()
  }

  resume(): void {
    this.#paused = false
    this.#options.storage.touch()
    for (const queue of this.#queues.values()) this.#gather(queue)
  }

  clear(): void {
    for (const queue of this.#queues.values()) this.#take(queue)
    // A gathering queue has lost its timer: the next update creates a new queue.
    this.#queues.clear()
    this.#retryBytes = 0
    this.#listed.clear()
    this.resume()
  }

  async close(): Promise<void> {
    this.#closed = true
    this.clear()
    await this.#agent.destroy()
  }

  /** An unanswered post may not have arrived: it is sent again. */
  restore(accounts: Accounts): void {
    const { storage, timers } = this.#options
    for (const [, row] of storage.rows('underWay')) timers.restore(0, { kind: 'webhook', data: row }, 'usual')
    for (const [, row] of storage.rows('waiting')) {
      const { accountId, url, update } = row as QueuedUpdate
      const account = accounts.find(accountId)
      if (account === undefined) continue
      const queue = this.#openQueue(account, url)
      this.#wait(queue, update)
      if (!this.#paused && !queue.gathering) this.#flushLater(queue)
    }
  }

  #queueOf(account: Account): CallbackQueue | undefined {
    const url = account.overrideCallbackUrl ?? account.callbackUrl
    if (account.subscribed && url !== undefined && !this.#closed) return this.#openQueue(account, url)
    this.counts.unsubscribed++
    return undefined
  }

  #openQueue(account: Account, url: string): CallbackQueue {
    const key = `${account.id} ${url}`
    const waiting = new SavedMap<QueuedUpdate>('waiting', this.#options.storage, { fromRow: () => undefined })
    const queue = this.#queues.get(key) ?? { account, url, waiting, gathering: false, inFlight: 0 }
    this.#queues.set(key, queue)
    return queue
  }

  #wait({ account, url, waiting }: CallbackQueue, update: Update): void {
    waiting.set(String(this.#nextWaiting++), { accountId: account.id, url, update })
  }

  /** The first `count` updates, or all of them. */
  #take({ waiting }: CallbackQueue, count = waiting.size): Update[] {
    const taken = [...waiting.entries().take(count)]
    for (const [key] of taken) waiting.delete(key)
    return taken.map(([, { update }]) => update)
  }

  #gather(queue: CallbackQueue): void {
    if (this.#paused || queue.waiting.size === 0) return
    if (queue.waiting.size >= this.#options.batch.maxUpdates) this.#flush(queue)
    if (!queue.gathering && queue.waiting.size > 0) this.#flushLater(queue)
  }

  #flushLater(queue: CallbackQueue): void {
    const { timers, batch } = this.#options
    queue.gathering = true
    timers.afterUnscaled(queue.account.hurried === true ? 0 : batch.windowMs, () => {
      queue.gathering = false
      this.#flush(queue)
    })
  }

  #flush(queue: CallbackQueue): void {
    const { maxUpdates } = this.#options.batch
    while (!this.#paused && queue.waiting.size > 0 && queue.inFlight < EMULATOR_LIMITS.postsInFlight) {
      queue.inFlight++
      void this.#attempt(this.#sign(queue, this.#take(queue, maxUpdates))).finally(() => {
        queue.inFlight--
        this.#flush(queue)
      })
    }
  }

  #sign({ account, url }: CallbackQueue, updates: Update[]): SignedPost {
    const { now, nextIds, onPostCreated } = this.#options
    const json = toWireJson(mergeUpdates(account.id, updates, now()))
    const post: WebhookPost = {
      id: `post-${nextIds.posts++}`,
      accountId: account.id,
      url,
      updates: updates.length,
      labels: updates.map(labelOf),
      sealedAt: now(),
      attempts: [],
      state: 'waiting',
      body: json.slice(0, EMULATOR_LIMITS.webhookBodyCharactersKept),
    }
    for (const update of updates) if (update.kind === 'status') onPostCreated(update.status.id, update.place, post)
    this.counts.posts++
    this.#listed.set(post.id, post)
    this.#forgetOldestBody()
    this.#changed(post)
    return { post, json, signature: sign(json, account.appSecret) }
  }

  /** Messages keep pointing at their posts, but only the latest posts keep their bodies. */
  #forgetOldestBody(): void {
    if (this.#listed.size <= EMULATOR_LIMITS.webhookPostsKept) return
    const [oldest] = this.#listed.values()
    if (oldest === undefined) return
    oldest.body = ''
    this.#options.storage.put('posts', oldest.id, () => oldest)
    this.#listed.delete(oldest.id)
  }

  async #attempt(signed: SignedPost): Promise<void> {
    const { post } = signed
    this.#underWay.set(post.id, signed)
    this.#options.flush()
    const attempt = await this.#post(signed)
    this.#underWay.delete(post.id)
    post.attempts.push(attempt)
    this.counts.attempts++
    if (attempt.httpStatus === 200) {
      post.state = 'answered'
      this.counts.answered++
    } else {
      this.counts.rejected++
      this.#retryLater(signed, attempt)
    }
    this.#changed(post)
    this.#options.onIdle()
  }

  #changed(post: WebhookPost): void {
    this.#options.storage.put('posts', post.id, () => post)
    this.#changes.emit(post)
  }

  #retryLater(signed: SignedPost, { httpStatus, fault }: Attempt): void {
    const { post, json } = signed
    const { log, timers, retrySpeed, retryGapsMs = WEBHOOK_RETRY_GAPS_MS } = this.#options
    const gap = retryGapsMs[post.attempts.length - 1]
    log(`webhook ${post.id} was not answered 200 but ${httpStatus ?? fault}`)
    const isFull = this.#retryBytes + json.length > EMULATOR_LIMITS.retryBytesWaiting
    if (gap === undefined || isFull || this.#closed) {
      post.state = 'lost'
      this.counts.lost += post.updates
    } else {
      this.#retryBytes += json.length
      timers.afterUnscaled(gap * retrySpeed, { kind: 'webhook', data: signed })
    }
  }

  async #post({ post, json, signature }: SignedPost): Promise<Attempt> {
    const at = this.#options.now()
    const startedAt = performance.now()
    const attemptOf = (httpStatus: number | undefined, fault: string | undefined): Attempt => {
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
        body: json,
      })
      await answer.body.dump()
      return attemptOf(answer.statusCode, undefined)
    } catch (fault) {
      return attemptOf(undefined, fault instanceof Error ? fault.message || fault.name : String(fault))
    }
  }
}

const toRow = ({ post, ...signed }: SignedPost): SavedSignedPost => ({ ...signed, post: post.id })

function labelOf(update: Update): string {
  if (update.kind === 'status') return update.status.status
  return update.kind === 'message' ? update.message.type : update.field
}

/** The value of X-Hub-Signature-256. */
export function sign(body: Buffer | string, appSecret: string): string {
  return `sha256=${createHmac('sha256', appSecret).update(body).digest('hex')}`
}
