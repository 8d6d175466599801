#!/usr/bin/env -S node --max-semi-space-size=16
// V8's default semi-spaces of 32 MB take 30 MB more memory at the same rate (npm run bench -- costs).
// Plain JavaScript: an old Node would fail on the first type annotation instead of printing this message.
import nodeModule from 'node:module'
import { fileURLToPath } from 'node:url'
import { explainWrongNode } from './wrong-node.js'

const problem = explainWrongNode({ version: process.versions.node, platform: process.platform, arch: process.arch })
if (problem !== undefined) {
  console.error(problem)
  process.exit(1)
}
// Later processes start faster and use 20 MB less, because they do not load the TypeScript compiler. If the folder is not writable,
// every process compiles everything.
nodeModule.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/doorcode', import.meta.url)))
let isSendingData = false
let outputFault
// A full disk or a closed terminal must not end a process in the middle of its work. A reader that stops early, such as "head", is
// not an error. sendData reports every error.
for (const output of [process.stdout, process.stderr])
  output.on('error', (error) => {
    if (error.code !== 'EPIPE' && !isSendingData) outputFault ??= error
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
// A reader may take its time. A write is called back after all earlier writes, also if it fails.
for (const output of [process.stdout, process.stderr]) await new Promise((resolve) => output.write('', resolve))
if (outputFault) {
  process.exitCode = 1
  process.stderr.write(`The output could not be written (${outputFault.code}).\n`)
}
// An open request without an answer must not keep the process alive.
setTimeout(() => process.exit(), 1000).unref()
