import { readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { makeFolders } from '../make-folders.ts'
import type { Parts } from '../parts.ts'
import { addEndpoint, findEndpoint, pauseEndpoint } from '../webhooks/endpoints.ts'
import { createKey, openKeyRing } from '../workspaces/keys.ts'
import { createWorkspace } from '../workspaces/workspaces.ts'

/** What a second start must find again, kept readable for its owner: so the same curl works every time. */
const keptEndpoint = z.object({ endpointId: z.string(), url: z.string(), secret: z.string() })
const kept = z.object({ workspaceId: z.string(), apiKey: z.string(), endpoint: keptEndpoint.optional() })

export type DemoWorkspace = z.infer<typeof kept>
export type DemoEndpoint = z.infer<typeof keptEndpoint>

/** The demo workspace of this database, if there is one. One of before sandboxes stays a live one. */
export async function findDemoWorkspace(parts: Parts): Promise<DemoWorkspace | undefined> {
  const found = await read(fileOf(parts))
  return found && (await isKnown(parts, found)) ? found : undefined
}

/** With a key. */
export async function makeDemoWorkspace(parts: Parts): Promise<DemoWorkspace> {
  const { workspaceId } = await createWorkspace(parts, { name: 'Demo', sandbox: true })
  const { apiKey } = await createKey(parts.db, parts.clock, { workspaceId, name: 'demo' })
  return keep(parts, { workspaceId, apiKey })
}

/** Its endpoint at this URL: found again, or added. One at another URL, where nobody listens any more, is paused. */
export async function openDemoEndpoint(parts: Parts, workspace: DemoWorkspace, url: string): Promise<DemoEndpoint> {
  const { workspaceId, endpoint } = workspace
  if (endpoint) {
    const id = { workspaceId, endpointId: endpoint.endpointId }
    const isOpen = (await findEndpoint(parts.db, id))?.status === 'enabled'
    if (isOpen && endpoint.url === url) return endpoint
    if (isOpen) await pauseEndpoint(parts, id)
  }
  const added = await addEndpoint(parts, { workspaceId, url })
  await keep(parts, { ...workspace, endpoint: { url, ...added } })
  return { url, ...added }
}

const fileOf = ({ config }: Parts): string => path.resolve(config.dataDir, 'demo.json')

/** Undefined when there is none, or none that can be read: then a new one is made. */
async function read(file: string): Promise<DemoWorkspace | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '')
  try {
    return kept.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** The file may be of another database, or its key revoked. */
async function isKnown({ db, clock, log }: Parts, { workspaceId, apiKey }: DemoWorkspace): Promise<boolean> {
  const keys = openKeyRing({ db, clock, log })
  const key = await keys.find(`Bearer ${apiKey}`)
  await keys.close()
  return key?.workspaceId === workspaceId
}

async function keep(parts: Parts, workspace: DemoWorkspace): Promise<DemoWorkspace> {
  const file = fileOf(parts)
  await makeFolders(path.dirname(file), 0o700)
  await writeFile(`${file}.new`, `${JSON.stringify(workspace, null, 2)}\n`, { mode: 0o600, flush: true })
  await rename(`${file}.new`, file)
  return workspace
}
