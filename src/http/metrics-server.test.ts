import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMetrics } from '../metrics.ts'
import { buildMetricsServer } from './metrics-server.ts'

test('whoever asks the port of the metrics for something else is told where they are', async () => {
  const server = buildMetricsServer(createMetrics())
  assert.match((await server.inject('/metrics')).body, /doorcode_/)
  for (const asked of ['/', '/metrics/', '/nope', '/%zz', '/api/v1/otp/messages']) {
    const { statusCode, headers, body } = await server.inject(asked)
    assert.deepEqual([statusCode, headers['content-type']], [404, 'text/plain; charset=utf-8'], asked)
    assert.equal(body, 'The metrics are at /metrics; the API is on another port.\n')
  }
})
