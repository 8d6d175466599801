import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { fileDatabase } from '../../database/database.ts'
import { freePort } from '../../programs/program.ts'
import { runCommand } from '../../world/command-line.ts'
import { startReceiver } from '../../world/receiver.ts'
import { temporaryFolder } from '../../world/temporary-folder.ts'
import { readConfig } from '../../../src/lib/config.ts'
import { createLog } from '../../../src/lib/log.ts'
import { startServing } from '../../../src/commands/serve.ts'

test('a command rejects private endpoints if the running server does', async (t) => {
  const { command } = await startServer(t)
  const { workspaceId } = await command('workspace', 'create', '--name', 'Shop')
  const receiver = await newReceiver(t)
  const rejected = await command('endpoint', 'add', '--workspace', workspaceId ?? '', '--url', receiver.url)
  assert.match(rejected['detail'] ?? '', /must start with https:/)
})

test('a command accepts private endpoints if the running server does', async (t) => {
  const { command } = await startServer(t, { DOORCODE_ALLOW_PRIVATE_WEBHOOKS: '1' })
  const { workspaceId } = await command('workspace', 'create', '--name', 'Shop')
  const receiver = await newReceiver(t)
  const { endpointId } = await command('endpoint', 'add', '--workspace', workspaceId ?? '', '--url', receiver.url)
  const pinged = await command('endpoint', 'ping', endpointId ?? '')
  assert.equal(pinged['status'], 'succeeded', JSON.stringify(pinged))
  assert.equal(receiver.received.length, 1)
})

/** A server with these settings, and commands on its database that know nothing of them. */
async function startServer(t: TestContext, settings: Record<string, string> = {}) {
  const dataDir = await temporaryFolder(t)
  const environment = {
    DATABASE_URL: await fileDatabase(),
    DOORCODE_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    DOORCODE_DATA_DIR: dataDir,
    DOORCODE_ROLES: 'api,worker',
    DOORCODE_PORT: String(await freePort()),
    DOORCODE_METRICS_PORT: '0',
  }
  const serving = await startServing(readConfig({ ...environment, ...settings }), createLog('silent'))
  t.after(() => serving.stop())
  const command = async (...words: string[]): Promise<Record<string, string>> => {
    const { stdout, stderr } = await runCommand([...words, '--json'], environment)
    return JSON.parse(stdout || stderr) as Record<string, string>
  }
  return { command }
}

async function newReceiver(t: TestContext) {
  const receiver = await startReceiver()
  t.after(() => receiver.close())
  return receiver
}
