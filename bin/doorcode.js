#!/usr/bin/env node
// Plain JavaScript: an old Node would fail on the first type annotation instead of printing this message.
const major = Number(process.versions.node.split('.')[0])
if (major < 26) {
  console.error(
    `Doorcode needs Node 26, which "npm ci" installs with it; this is Node ${process.versions.node}.\n` +
      'Start it through npm ("npm start", "npm run -s doorcode -- …"). If you did, the platform package of Node is missing:\n' +
      'run "npm ci" again without --omit=optional.',
  )
  process.exit(1)
}
// A reader that leaves early, such as "head", is no error.
for (const output of [process.stdout, process.stderr])
  output.on('error', (error) => {
    if (error.code !== 'EPIPE') throw error
  })
const { runCommandLine } = await import('../src/cli.ts')
process.exitCode = await runCommandLine(process.argv.slice(2), {
  environment: process.env,
  stdout: (text) => process.stdout.write(`${text}\n`),
  stderr: (text) => process.stderr.write(`${text}\n`),
})
// An open request without an answer must not keep the process alive.
setTimeout(() => process.exit(), 1000).unref()
