import assert from 'node:assert/strict'
import { readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { DEMO } from '@doorcode/whatsapp-emulator'
import { readConfig } from '../../../src/lib/config.ts'
import { CHECK_NAMES, type Finding } from '../../../src/operations/doctor/finding.ts'
import { openSeal } from '../../../src/operations/secrets/open.ts'
import { environmentOf, runCommand } from '../../world/command-line.ts'
import { ownDatabase } from '../../database/database.ts'
import { codesOf, startSandbox } from '../../world/findings.ts'
import { temporaryFolder } from '../../world/temporary-folder.ts'
import { withConnection } from '../../database/postgres.ts'

type Printed = { findings: Finding[] }

test('the command prints each finding with its fix, fails with failures and shows no secret', async (t) => {
  const world = await startSandbox(t, { works: false })
  const environment = environmentOf(world)
  await openSeal(readConfig(environment), world.parts.db) // as the first start does
  const json = await runCommand(['doctor', '--json'], environment)
  assert.deepEqual([json.code, json.stderr], [1, ''])
  const { findings } = JSON.parse(json.stdout) as Printed
  const byCode = new Map(findings.map((finding) => [finding.code, finding]))
  assert.deepEqual(byCode.get('no_worker'), { check: 'nodes', level: 'failure', code: 'no_worker', parameters: {} })
  assert.ok(findings.some(({ check, code }) => check === 'provider' && code === 'ok'))
  const text = await runCommand(['doctor'], environment)
  assert.equal(text.code, 1)
  assert.match(
    text.stdout,
    /^Failures\n\n {2}Nodes: No running node has the role worker: .*\n {4}Start a node with worker/,
  )
  const otherKey = { DOORCODE_SECRET_KEY: Buffer.alloc(32, 9).toString('base64') }
  const wrongKey = await runCommand(['doctor', '--json'], { ...environment, ...otherKey })
  assert.ok(codesOf((JSON.parse(wrongKey.stdout) as Printed).findings).includes('key_wrong'))
  const secrets = [DEMO.accessToken, DEMO.appSecret, environment.DOORCODE_SECRET_KEY]
  for (const secret of secrets)
    for (const { stdout } of [json, text, wrongKey]) assert.ok(!stdout.includes(secret), 'a secret was printed')
})

test('the command examines a database without tables and creates none', async (t) => {
  const { url } = await ownDatabase(t)
  const { code, stdout } = await runCommand(['doctor', '--json'], environmentOf({ databaseUrl: url }))
  assert.ok(codesOf((JSON.parse(stdout) as Printed).findings).includes('not_migrated'))
  assert.equal(code, 1, 'the server of the tests is not durable')
  const tables = await withConnection(url, (connection) =>
    connection.query(`select from pg_class where relnamespace = 'public'::regnamespace`),
  )
  assert.equal(tables.rowCount, 0)
})

test('the command says what is wrong when nothing can be opened', async () => {
  const cases = [
    [{ DOORCODE_PORT: 'abc', DOORCODE_ROLE: 'api' }, 'setting_invalid', 2],
    [environmentOf({ databaseUrl: 'postgres://doorcode:hunter2@127.0.0.1:1/doorcode' }), 'database_unreachable', 1],
  ] as const
  for (const [environment, expected, count] of cases) {
    const { code, stdout, stderr } = await runCommand(['doctor', '--json'], environment)
    assert.deepEqual([code, stderr], [1, ''])
    const { findings } = JSON.parse(stdout) as Printed
    assert.equal(findings.filter((finding) => finding.code === expected).length, count)
    assert.ok(
      findings.every((finding) => [expected, 'skipped'].includes(finding.code)) || expected !== 'setting_invalid',
    )
    assert.deepEqual(new Set(findings.map(({ check }) => check)), new Set(CHECK_NAMES))
    assert.doesNotMatch(stdout, /hunter2/)
  }
})

test('the command examines an embedded database without a server, and creates none', async (t) => {
  const folder = await temporaryFolder(t)
  const environment = { DOORCODE_DATA_DIR: folder }
  const examined = async (): Promise<string[]> => {
    const { stdout } = await runCommand(['doctor', '--json'], environment)
    const { findings } = JSON.parse(stdout) as Printed
    return codesOf(findings.filter(({ level }) => level !== 'ok'))
  }
  assert.deepEqual(await examined(), ['database_missing', 'skipped'])
  assert.deepEqual(await readdir(folder), [])
  assert.equal((await runCommand(['workspace', 'create', '--name', 'Shop', '--sandbox'], environment)).code, 0)
  assert.deepEqual(await examined(), ['nothing_runs'])
  await rm(path.join(folder, 'instance-key'))
  assert.deepEqual(await examined(), ['key_wrong', 'nothing_runs', 'skipped'])
  assert.ok(!(await readdir(folder)).includes('instance-key'))
})
