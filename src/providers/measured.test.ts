import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { listen } from '../../test/world/listen.ts'
import { createMetrics } from '../lib/metrics.ts'
import { measured } from './measured.ts'
import { ProviderRejectedError, ProviderUnreachableError } from './provider.ts'
import { createWhatsApp } from './whatsapp/whatsapp.ts'

test('requests to the provider count with how they ended, and their errors reach the caller', async (t) => {
  const rejecting = await listen(
    t,
    createServer((_request, response) => response.writeHead(401).end('{"error":{"code":190,"message":"no"}}')),
  )
  const metrics = createMetrics()
  const provider = measured(createWhatsApp(), metrics)
  t.after(() => provider.close())
  const account = (graphUrl: string) => ({ wabaId: '1', graphUrl, accessToken: 'token' })
  await assert.rejects(provider.list(account(`http://${rejecting}`)), ProviderRejectedError)
  await assert.rejects(provider.list(account('http://127.0.0.1:1')), ProviderUnreachableError)
  const content = { type: 'text', body: 'Hello' } as const
  const message = { kind: 'cod', messageId: 'm', phoneNumberId: '2', recipient: '+212600000000', content } as const
  assert.equal((await provider.send(account('http://127.0.0.1:1'), message)).outcome, 'unreachable')
  const text = await metrics.registry.metrics()
  for (const ended of [
    'operation="list",outcome="rejected"',
    'operation="list",outcome="unreachable"',
    'operation="send",outcome="unreachable"',
  ])
    assert.match(text, new RegExp(`^doorcode_provider_request_seconds_count\\{${ended}\\} 1$`, 'm'))
})
