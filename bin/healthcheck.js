#!/usr/bin/env node
// The health check of a container: its image has no curl. Not "fetch", which blocks some ports.
import { get } from 'node:http'

const TIMEOUT_MS = 4_000
const port = process.env.DOORCODE_PORT?.trim() || '3000'
const host = process.env.DOORCODE_HOST?.trim() || '127.0.0.1'
const hostname = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host
const url = `http://${hostname.includes(':') ? `[${hostname}]` : hostname}:${port}/healthz`

const fail = (fault) => {
  console.error(`${url} is not healthy: ${fault}`)
  process.exit(1)
}
get(url, { signal: AbortSignal.timeout(TIMEOUT_MS) }, ({ statusCode }) =>
  statusCode === 200 ? process.exit() : fail(`status ${statusCode}`),
).on('error', ({ code, message }) => fail(code ?? message))
