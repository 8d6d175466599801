import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileDatabase } from '../test/database.ts'
import { freePort } from '../test/program.ts'
import { startReceiver } from '../test/receiver.ts'
import { runCommandLine } from './cli.ts'
import { readConfig } from './config.ts'
import { createLog } from './log.ts'
import { startServing } from './main.ts'

test('beside a server that sends to public addresses alone, a command adds no other endpoint', async (t) => {
  const { command } = await beside(t)
  const { workspaceId } = await command('workspace', 'create', '--name', 'Shop')
  const receiver = await receiving(t)
  const refused = await command('endpoint', 'add', '--workspace', workspaceId ?? '', '--url', receiver.url)
  assert.match(refused['detail'] ?? '', /must start with https:/)
})

test('beside a server that sends to private addresses, a command adds and tries such an endpoint without a setting', async (t) => {
  const { command } = await beside(t, { DOORCODE_ALLOW_PRIVATE_WEBHOOKS: '1' })
  const { workspaceId } = await command('workspace', 'create', '--name', 'Shop')
  const receiver = await receiving(t)
  const { endpointId } = await command('endpoint', 'add', '--workspace', workspaceId ?? '', '--url', receiver.url)
  const pinged = await command('endpoint', 'ping', endpointId ?? '')
  assert.equal(pinged['status'], 'succeeded', JSON.stringify(pinged))
  assert.equal(receiver.received.length, 1)
})

/** A server with these settings, and commands on its database that know nothing of them. */
async function beside(t: TestContext, settings: Record<string, string> = {}) {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'doorcode-beside-'))
  const environment = {
    DATABASE_URL: await fileDatabase(),
    DOORCODE_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    DOORCODE_DATA_DIR: dataDir,
    DOORCODE_ROLES: 'api,worker',
    DOORCODE_PORT: String(await freePort()),
    DOORCODE_METRICS_PORT: '0',
  }
  const serving = await startServing(readConfig({ ...environment, ...settings }), createLog('silent'))
  t.after(async () => {
    await serving.stop()
    await rm(dataDir, { recursive: true })
  })
  const command = async (...words: string[]): Promise<Record<string, string>> => {
    const said: string[] = []
    const say = (text: string): void => void said.push(text)
    await runCommandLine([...words, '--json'], { environment, stdout: say, stderr: say })
    return JSON.parse(said.join('')) as Record<string, string>
  }
  return { command }
}

async function receiving(t: TestContext) {
  const receiver = await startReceiver()
  t.after(() => receiver.close())
  return receiver
}
