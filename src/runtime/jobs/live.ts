import type { Role } from '../../lib/config.ts'
import type { Db } from '../../lib/db/pool.ts'
import { createOutbox } from './outbox.ts'

/** Notifies open dashboard pages of changes. */
export type LiveUpdates = {
  /** Call it after the commit. Never fails or waits, and costs almost nothing while no page is open. */
  changed(workspaceIds: readonly string[]): void
  /** Returns the function that ends it. `onChange` must not throw. */
  follow(workspaceId: string, onChange: () => void): () => void
}

export const LIVE_CHANNEL = 'doorcode_live'

const NOTIFY_EVERY_MS = 250
/** How often a node announces the workspaces it follows, and how long others remember them. */
const ANNOUNCE_EVERY_MS = 15_000
const FOLLOWED_FOR_MS = 40_000
/** Workspaces followed on other nodes; beyond this a page sees changes only when it polls. */
const MAX_REMOTE_FOLLOWED = 10_000

type LiveOptions = { db: Pick<Db, 'rows'>; roles: ReadonlySet<Role>; nodeId: string }

/**
 * Carries changes to pages on all nodes by NOTIFY. Nodes announce which workspaces they follow, so unfollowed workspaces
 * cause no notifications. A notification contains only workspace ids: the page reloads what it shows.
 */
export function createLive({ db, roles, nodeId }: LiveOptions) {
  /** A command ends before it could learn who follows what. */
  const alwaysNotify = roles.size === 0
  const localFollowers = new Map<string, Set<() => void>>()
  const remoteFollowed = new Map<string, number>()
  const outbox = createOutbox(db, LIVE_CHANNEL, NOTIFY_EVERY_MS)
  let announcing: NodeJS.Timeout | undefined

  const announce = (): void => {
    for (const workspaceId of localFollowers.keys()) outbox.put(`follow ${nodeId}`, workspaceId)
  }
  const notifyLocal = (workspaceId: string): void => localFollowers.get(workspaceId)?.forEach((onChange) => onChange())
  const isFollowedRemotely = (workspaceId: string): boolean => {
    const expiresAt = remoteFollowed.get(workspaceId)
    if (expiresAt === undefined) return false
    if (expiresAt > performance.now()) return true
    remoteFollowed.delete(workspaceId)
    return false
  }
  return {
    changed(workspaceIds: readonly string[]): void {
      if (!alwaysNotify && localFollowers.size === 0 && remoteFollowed.size === 0) return
      for (const workspaceId of new Set(workspaceIds)) {
        notifyLocal(workspaceId)
        if (alwaysNotify || isFollowedRemotely(workspaceId)) outbox.put('changed', workspaceId)
      }
    },
    follow(workspaceId: string, onChange: () => void): () => void {
      const followers = localFollowers.get(workspaceId) ?? new Set()
      if (followers.size === 0) outbox.put(`follow ${nodeId}`, workspaceId)
      localFollowers.set(workspaceId, followers.add(onChange))
      announcing ??= setInterval(announce, ANNOUNCE_EVERY_MS).unref()
      return () => {
        followers.delete(onChange)
        if (followers.size === 0 && localFollowers.get(workspaceId) === followers) localFollowers.delete(workspaceId)
        if (localFollowers.size > 0) return
        clearInterval(announcing)
        announcing = undefined
      }
    },
    /** A notification on LIVE_CHANNEL. */
    onNotification(payload: string): void {
      const [kind, ...rest] = payload.split(' ')
      if (kind === 'who') announce()
      if (kind === 'changed') rest.forEach(notifyLocal)
      if (kind !== 'follow' || rest[0] === nodeId) return
      const expiresAt = performance.now() + FOLLOWED_FOR_MS
      if (remoteFollowed.size >= MAX_REMOTE_FOLLOWED)
        for (const workspaceId of remoteFollowed.keys()) isFollowedRemotely(workspaceId)
      for (const workspaceId of rest.slice(1)) {
        if (remoteFollowed.size < MAX_REMOTE_FOLLOWED || remoteFollowed.has(workspaceId))
          remoteFollowed.set(workspaceId, expiresAt)
      }
    },
    /** The listener has just connected: earlier notifications may be lost. */
    onListening(): void {
      announce()
      for (const workspaceId of localFollowers.keys()) notifyLocal(workspaceId)
    },
    stop(): Promise<void> {
      clearInterval(announcing)
      return outbox.stop()
    },
  }
}
