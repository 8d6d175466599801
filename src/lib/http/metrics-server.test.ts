import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMetrics } from '../metrics.ts'
import { buildMetricsServer } from './metrics-server.ts'

test('any other path on the metrics port is answered 404 with the right path', async () => {
  const server = buildMetricsServer(createMetrics())
  const metrics = await server.inject('/metrics')
  assert.match(metrics.body, /doorcode_/)
  assert.equal(metrics.headers['x-content-type-options'], 'nosniff')
  for (const path of ['/', '/metrics/', '/nope', '/%zz', '/api/v1/otp/messages']) {
    const { statusCode, headers, body } = await server.inject(path)
    assert.deepEqual([statusCode, headers['content-type']], [404, 'text/plain; charset=utf-8'], path)
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.equal(body, 'The metrics are at /metrics; the API is on another port.\n')
  }
})
