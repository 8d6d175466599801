import assert from 'node:assert/strict'
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import type { TestContext } from 'node:test'
import { type Emulator, type EmulatorOptions, DEMO, startEmulator } from '../src/index.ts'
import { CUSTOMER } from './world.ts'

/** For the tests of emulators that keep their state in a folder. */

/** Nothing falls due within a test, unless its clock is moved. */
export const SLOW = 1_000

export const FILE = 'emulator.db'

export type Reached = Pick<Emulator, 'url'>

export async function newFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'doorcode-emulator-'))
  t.after(() => rm(folder, { recursive: true }))
  return folder
}

/** Copies the state that a process leaves if it is killed now. */
export async function copyOf(t: TestContext, data: string): Promise<string> {
  const copy = await newFolder(t)
  const names = (await readdir(data)).filter((name) => name.startsWith(FILE))
  for (const name of names) await cp(path.join(data, name), path.join(copy, name))
  return copy
}

export async function start(t: TestContext, options: EmulatorOptions): Promise<Emulator> {
  const emulator = await startEmulator(options)
  t.after(() => emulator.close())
  return emulator
}

export async function send(emulator: Reached, body: object, to = CUSTOMER): Promise<void> {
  const message = { messaging_product: 'whatsapp', to, ...body }
  const answer = await graph(emulator, 'POST', `${DEMO.standardNumberId}/messages`, DEMO.accessToken, message)
  assert.equal(answer.status, 200, await answer.text())
}

export const graph = (
  { url }: Reached,
  method: string,
  path: string,
  token: string = DEMO.accessToken,
  body?: object,
) =>
  fetch(`${url}/v25.0/${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })

export async function get({ url }: Reached, path: string): Promise<unknown> {
  return await (await fetch(`${url}${path}`)).json()
}

export async function post({ url }: Reached, path: string, body: object): Promise<Record<string, unknown>> {
  const answer = await fetch(`${url}${path}`, { method: 'POST', body: JSON.stringify(body) })
  assert.equal(answer.status, 200, await answer.clone().text())
  return (await answer.json()) as Record<string, unknown>
}
