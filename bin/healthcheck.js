#!/usr/bin/env node
// For the health check of a container, whose image has no curl. It loads nothing of Doorcode, so that it takes 0.1 s.
const TIMEOUT_MS = 4_000
const port = process.env.DOORCODE_PORT?.trim() || '3000'
const host = process.env.DOORCODE_HOST?.trim() || '127.0.0.1'
const anyAddress = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }
const url = `http://${anyAddress[host] ?? (host.includes(':') ? `[${host}]` : host)}:${port}/healthz`

const fault = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) }).then(
  ({ ok, status }) => (ok ? undefined : `status ${status}`),
  (error) => error.cause?.message ?? error.message,
)
if (fault !== undefined) {
  console.error(`${url} is not healthy: ${fault}`)
  process.exitCode = 1
}
