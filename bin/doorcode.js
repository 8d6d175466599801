#!/usr/bin/env node
// Plain JavaScript: an old Node would fail on the first type annotation instead of printing this message.
import { explainWrongNode } from './wrong-node.js'

const problem = explainWrongNode({ version: process.versions.node, platform: process.platform, arch: process.arch })
if (problem !== undefined) {
  console.error(problem)
  process.exit(1)
}
let isSendingData = false
// A reader that stops early, such as "head", is not an error. sendData reports every error.
for (const output of [process.stdout, process.stderr])
  output.on('error', (error) => {
    if (error.code !== 'EPIPE' && !isSendingData) throw error
  })

function sendData(bytes) {
  isSendingData = true
  return new Promise((resolve, reject) => process.stdout.write(bytes, (error) => (error ? reject(error) : resolve())))
}

const { runCommandLine } = await import('../src/cli.ts')
process.exitCode = await runCommandLine(process.argv.slice(2), {
  environment: process.env,
  stdout: (text) => process.stdout.write(`${text}\n`),
  stderr: (text) => process.stderr.write(`${text}\n`),
  sendData: process.stdout.isTTY ? undefined : sendData,
})
// An open request without an answer must not keep the process alive.
setTimeout(() => process.exit(), 1000).unref()
