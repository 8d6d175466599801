import { readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import type { Config } from '../../lib/config.ts'
import type { Db } from '../../lib/db/pool.ts'
import { ensureDir } from '../../lib/ensure-dir.ts'
import type { Parts } from '../../runtime/parts.ts'
import { holdBacklog } from '../../webhooks/endpoint-status.ts'
import { addEndpoint, findEndpoint, pauseEndpoint } from '../../webhooks/endpoints.ts'
import { checkNewSettings } from '../../webhooks/settings.ts'
import { createKey, createKeyAuthenticator } from '../../workspaces/keys/keys.ts'
import { StartupError } from '../../lib/errors.ts'
import { createWorkspace, listWorkspacesOfAnySchema } from '../../workspaces/workspaces.ts'
import { visibleText } from '../../../locales/visible-text.ts'

/** Saved in demo.json, so that the printed curl keeps working after a restart. */
const savedEndpoint = z.object({ endpointId: z.string(), url: z.string(), secret: z.string() })
const savedWorkspace = z.object({ workspaceId: z.string(), apiKey: z.string(), endpoint: savedEndpoint.optional() })

export type DemoWorkspace = z.infer<typeof savedWorkspace>
type DemoParts = Pick<Parts, 'db' | 'clock'> & { config: Pick<Config, 'dataDir'> }
export type DemoEndpoint = z.infer<typeof savedEndpoint>

export async function findDemoWorkspace(parts: Parts): Promise<DemoWorkspace | undefined> {
  const saved = await read(fileOf(parts.config.dataDir))
  return saved && (await isValid(parts, saved)) ? saved : undefined
}

type DemoDatabase = Pick<Config, 'dataDir' | 'databaseUrl'> & {
  /** How the user calls the program, for commands to copy. */
  program: string
}

/**
 * A demo simulates a day on its own clock, sends webhooks to private addresses, and runs everything in one process. So it must
 * not run on a database that was restored or serves a shop, nor migrate it. Throws StartupError.
 */
export async function assertDemoDatabase(db: Db, { dataDir, databaseUrl, program }: DemoDatabase): Promise<void> {
  const workspaces = await listWorkspacesOfAnySchema(db)
  const saved = await read(fileOf(dataDir))
  if (workspaces.some(({ workspaceId }) => workspaceId === saved?.workspaceId)) return
  const live = workspaces.filter(({ sandbox }) => !sandbox)
  if (live.length === 0) return
  const folder = path.resolve(dataDir)
  const anotherDemo = `set DOORCODE_DATA_DIR to a new folder${databaseUrl === undefined ? '' : ' and leave DATABASE_URL unset'}`
  // The database was restored, or it is used with another data folder.
  if (workspaces.some(({ name }) => name === DEMO_NAME))
    throw new StartupError(
      `This database has a workspace "${DEMO_NAME}", but "start" cannot continue that demo, because the file demo.json in ${folder} is missing or does not name it. To continue it, copy demo.json and emulator.db from its data folder to ${folder}. To run Doorcode with all its workspaces, use "${program} serve". To try another demo, ${anotherDemo}.`,
    )
  const names = live.slice(0, MAX_NAMES_SHOWN).map(({ name }) => `"${visibleText(name)}"`)
  const more = live.length > MAX_NAMES_SHOWN ? ' and more' : ''
  throw new StartupError(
    `"start" runs a demo, and this database has workspaces that are not sandboxes (${names.join(', ')}${more}). To run Doorcode with them, use "${program} serve". To try the demo, ${anotherDemo}.`,
  )
}

const MAX_NAMES_SHOWN = 3
const DEMO_NAME = 'Demo'

export async function createDemoWorkspace(parts: DemoParts): Promise<DemoWorkspace> {
  const { db, clock } = parts
  const { workspaceId } = await db.transaction((tx) => createWorkspace(tx, clock, { name: DEMO_NAME, sandbox: true }))
  const { apiKey } = await createKey(db, clock, { workspaceId, name: 'demo' })
  return save(parts, { workspaceId, apiKey })
}

/** Finds or adds the endpoint at this URL. One saved with another URL is paused: no server listens there now. */
export async function ensureDemoEndpoint(parts: Parts, workspace: DemoWorkspace, url: string): Promise<DemoEndpoint> {
  const { workspaceId, endpoint } = workspace
  if (endpoint) {
    const id = { workspaceId, endpointId: endpoint.endpointId }
    const isEnabled = (await findEndpoint(parts.db, id))?.status === 'enabled'
    if (isEnabled && endpoint.url === url) return endpoint
    if (isEnabled) {
      await parts.db.transaction((tx) => pauseEndpoint(tx, parts.clock, id))
      await holdBacklog(parts.db, id)
    }
  }
  const settings = await checkNewSettings({ url }, parts)
  const added = await parts.db.transaction((tx) => addEndpoint(tx, parts, { workspaceId, ...settings }))
  await save(parts, { ...workspace, endpoint: { url, ...added } })
  return { url, ...added }
}

const fileOf = (dataDir: string): string => path.resolve(dataDir, 'demo.json')

/** Returns undefined if the file is missing or invalid: then a new workspace is created. */
async function read(file: string): Promise<DemoWorkspace | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '')
  try {
    return savedWorkspace.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** The file may belong to another database, or its key may be revoked. */
async function isValid({ db, clock, log }: Parts, { workspaceId, apiKey }: DemoWorkspace): Promise<boolean> {
  const keys = createKeyAuthenticator({ db, clock, log })
  const key = await keys.find(`Bearer ${apiKey}`)
  await keys.close()
  return key?.workspaceId === workspaceId
}

async function save({ config }: DemoParts, workspace: DemoWorkspace): Promise<DemoWorkspace> {
  const file = fileOf(config.dataDir)
  await ensureDir(path.dirname(file), 0o700)
  await writeFile(`${file}.new`, `${JSON.stringify(workspace, null, 2)}\n`, { mode: 0o600, flush: true })
  await rename(`${file}.new`, file)
  return workspace
}
