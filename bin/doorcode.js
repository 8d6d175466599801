#!/usr/bin/env node
// Plain JavaScript, so that an old Node says what to do instead of failing on the first type annotation.
const major = Number(process.versions.node.split('.')[0])
if (major < 26) {
  console.error(
    `Doorcode runs on Node 26, which "npm ci" installs beside it; this is Node ${process.versions.node}.\n` +
      'Start it through npm ("npm start", "npm run -s doorcode -- …"). If that brought you here, the platform package is\n' +
      'missing: run "npm ci" again without --omit=optional.',
  )
  process.exit(1)
}
const { runCommandLine } = await import('../src/cli.ts')
process.exitCode = await runCommandLine(process.argv.slice(2), {
  environment: process.env,
  stdout: (text) => process.stdout.write(`${text}\n`),
  stderr: (text) => process.stderr.write(`${text}\n`),
})
// What was given up at the end, such as a request that nobody answers, must not keep the process.
setTimeout(() => process.exit(), 1000).unref()
