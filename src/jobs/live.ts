import { randomUUID } from 'node:crypto'
import type { Role } from '../config.ts'
import { type Db, statement } from '../db.ts'
import type { Live } from '../parts.ts'

/**
 * Brings the word that something of a workspace changed to the pages that follow it, on whatever node they are open.
 * Nodes tell each other which workspaces are followed, so that nothing is told while nobody looks. It carries ids of
 * workspaces and nothing else; whoever hears it asks again, and asks in any case when it has missed some.
 */
export type LiveLink = Live & {
  /** What another node told on LIVE_CHANNEL. */
  heard(payload: string): void
  /** Words may have been lost before: this node's listener has just begun. */
  linked(): void
  stop(): Promise<void>
}

export const LIVE_CHANNEL = 'doorcode_live'

/** A commit with a NOTIFY takes a lock of the whole database: each node makes at most so many, whatever changes. */
const TELL_EVERY_MS = 250
/** How often a node repeats which workspaces are followed at it, and for how long others believe it. */
const ANNOUNCE_EVERY_MS = 15_000
const FOLLOWED_FOR_MS = 40_000
/** 37 bytes each, where a payload may have 8,000. The others follow with the next word. */
const IDS_MOST = 200
/** Those followed at other nodes; beyond it a page sees changes only when it asks. */
const ELSEWHERE_MOST = 10_000

const tell = statement('tell_live_pages', `select pg_notify('${LIVE_CHANNEL}', $1)`)

/** What a node that begins asks the others, whose pages it does not know yet. Sent by its own listener. */
export const askWhoFollows = { channel: LIVE_CHANNEL, payload: 'who' }

export function createLive({ db, roles }: { db: Pick<Db, 'rows'>; roles: ReadonlySet<Role> }): LiveLink {
  const node = randomUUID()
  /** A command lives too short to hear who follows what. */
  const tellsAlways = roles.size === 0
  const here = new Map<string, Set<() => void>>()
  const elsewhere = new Map<string, number>()
  const outbox = outboxOver(db)
  let announcing: NodeJS.Timeout | undefined

  const announce = (): void => {
    for (const workspaceId of here.keys()) outbox.put(`follow ${node}`, workspaceId)
  }
  const changedHere = (workspaceId: string): void => here.get(workspaceId)?.forEach((onChange) => onChange())
  const isFollowedElsewhere = (workspaceId: string): boolean => {
    const until = elsewhere.get(workspaceId)
    if (until === undefined) return false
    if (until > performance.now()) return true
    elsewhere.delete(workspaceId)
    return false
  }
  return {
    changed(workspaceIds) {
      if (!tellsAlways && here.size === 0 && elsewhere.size === 0) return
      for (const workspaceId of new Set(workspaceIds)) {
        changedHere(workspaceId)
        if (tellsAlways || isFollowedElsewhere(workspaceId)) outbox.put('changed', workspaceId)
      }
    },
    follow(workspaceId, onChange) {
      const followers = here.get(workspaceId) ?? new Set()
      if (followers.size === 0) outbox.put(`follow ${node}`, workspaceId)
      here.set(workspaceId, followers.add(onChange))
      announcing ??= setInterval(announce, ANNOUNCE_EVERY_MS).unref()
      return () => {
        followers.delete(onChange)
        if (followers.size === 0 && here.get(workspaceId) === followers) here.delete(workspaceId)
        if (here.size > 0) return
        clearInterval(announcing)
        announcing = undefined
      }
    },
    heard(payload) {
      const [word, ...rest] = payload.split(' ')
      if (word === 'who') announce()
      if (word === 'changed') rest.forEach(changedHere)
      if (word !== 'follow' || rest[0] === node) return
      const until = performance.now() + FOLLOWED_FOR_MS
      if (elsewhere.size >= ELSEWHERE_MOST) for (const workspaceId of elsewhere.keys()) isFollowedElsewhere(workspaceId)
      for (const workspaceId of rest.slice(1)) {
        if (elsewhere.size < ELSEWHERE_MOST || elsewhere.has(workspaceId)) elsewhere.set(workspaceId, until)
      }
    },
    linked() {
      announce()
      for (const workspaceId of here.keys()) changedHere(workspaceId)
    },
    async stop() {
      clearInterval(announcing)
      await outbox.stop()
    },
  }
}

type Outbox = { put(word: string, workspaceId: string): void; stop(): Promise<void> }

/** What is put in while the last words are on their way goes out together. What cannot be told waits for the next time. */
function outboxOver(db: Pick<Db, 'rows'>): Outbox {
  const waiting = new Map<string, Set<string>>()
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  let sending: Promise<void> = Promise.resolve()

  const send = async (): Promise<void> => {
    for (const [word, ids] of waiting) {
      const told = [...ids].slice(0, IDS_MOST)
      for (const id of told) ids.delete(id)
      if (ids.size === 0) waiting.delete(word)
      await db.rows(tell, [`${word} ${told.join(' ')}`]).catch(() => {
        if (!stopped) for (const id of told) keep(word, id)
      })
    }
  }
  const keep = (word: string, id: string): void => {
    waiting.set(word, (waiting.get(word) ?? new Set()).add(id))
  }
  const turn = (): void => {
    timer = undefined
    if (waiting.size === 0) return
    timer = setTimeout(turn, TELL_EVERY_MS).unref()
    sending = sending.then(send)
  }
  return {
    put(word, id) {
      if (stopped) return
      keep(word, id)
      timer ??= setTimeout(turn, 0)
    },
    async stop() {
      stopped = true
      clearTimeout(timer)
      await sending
      await send()
    },
  }
}
