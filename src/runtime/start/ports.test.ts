import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { freePort } from '../../../test/programs/program.ts'
import { type PortSetting, findPortFaults } from './ports.ts'

test('all faults are found together, each with its setting and a free port', async (t) => {
  const first = await occupy(t)
  const second = await occupy(t)
  const faults = await findPortFaults([
    ofServer(first),
    { ...ofServer(second), setting: 'DOORCODE_METRICS_PORT' },
    { ...ofServer(await freePort()), setting: 'DOORCODE_EMULATOR_PORT' },
  ])
  assert.deepEqual(
    faults.map(({ setting }) => setting),
    ['DOORCODE_PORT', 'DOORCODE_METRICS_PORT'],
  )
  const pattern = new RegExp(
    String.raw`^127\.0\.0\.1:${first} is in use\. Stop the other program or set DOORCODE_PORT to another port, such as (\d+)\.$`,
  )
  const suggestion = Number(pattern.exec(faults[0]?.sentence ?? '')?.[1])
  assert.equal(await freePort(suggestion), suggestion)
})

test('the error for a port that no setting names says which setting it follows', async (t) => {
  const port = await occupy(t)
  const [fault] = await findPortFaults([emulatorAt(port - 1)])
  assert.match(
    fault?.sentence ?? '',
    new RegExp(
      `^127.*:${port} is in use\\. The webhook receiver listens on the port after DOORCODE_EMULATOR_PORT \\(${port - 1}\\)\\. Stop`,
    ),
  )
  const [tooHigh] = await findPortFaults([emulatorAt(65_535)])
  assert.match(tooHigh?.sentence ?? '', /^DOORCODE_EMULATOR_PORT must be at most 65534\. The webhook receiver/)
})

test('an address on which no system can listen is named with its setting', async () => {
  for (const host of ['fe80::1', '192.0.2.1', 'no host'])
    assert.deepEqual(
      (await findPortFaults([{ setting: 'DOORCODE_PORT', host, port: 3000, uses: ['API'] }])).map(
        (each) => each.sentence,
      ),
      [`${host} is not an address of this machine. Set DOORCODE_HOST to one, or to 0.0.0.0 for all.`],
    )
})

test('two settings that need one port are named', async () => {
  const port = await freePort()
  const same = await findPortFaults([ofServer(port), emulatorAt(port)])
  assert.deepEqual(same, [
    {
      setting: 'DOORCODE_EMULATOR_PORT',
      sentence: `DOORCODE_PORT and DOORCODE_EMULATOR_PORT are both ${port}. Set one of them to another port.`,
    },
  ])
  const [after] = await findPortFaults([ofServer(port), emulatorAt(port - 1)])
  assert.match(
    after?.sentence ?? '',
    new RegExp(`^DOORCODE_PORT is ${port}\\. The webhook receiver listens on the port after`),
  )
  assert.deepEqual(await findPortFaults([{ ...ofServer(port), host: '127.0.0.2' }, emulatorAt(port)]), [])
})

const HOST = '127.0.0.1'

const ofServer = (port: number): PortSetting => ({ setting: 'DOORCODE_PORT', host: HOST, port, uses: ['API'] })

const emulatorAt = (port: number): PortSetting => ({
  setting: 'DOORCODE_EMULATOR_PORT',
  host: HOST,
  port,
  uses: ['WhatsApp emulator', 'webhook receiver'],
})

async function occupy(t: TestContext): Promise<number> {
  const port = await freePort()
  const server = createServer().listen(port, HOST)
  await once(server, 'listening')
  t.after(() => server.close())
  return port
}
