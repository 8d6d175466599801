import assert from 'node:assert/strict'
import { type Socket, createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import tls from 'node:tls'
import { MINUTE_MS } from '../../../src/lib/clock.ts'
import { readConfig } from '../../../src/lib/config.ts'
import { createMetrics } from '../../../src/lib/metrics.ts'
import { CLEAR_AFTER_MS, RAISE_AFTER_MS } from '../../../src/operations/doctor/alerts/decide.ts'
import { doctorLoop } from '../../../src/operations/doctor/alerts/loop.ts'
import {
  EXAMINE_EVERY_MS,
  MAX_EXAMINATION_MS,
  MAX_TRIES,
  SEND_LEASE_MS,
  claimAlerts,
  claimRun,
  endRun,
} from '../../../src/operations/doctor/alerts/store.ts'
import { createFiguresReader } from '../../../src/operations/monitoring/figures.ts'
import { SEVERITIES, toFinding } from '../../../src/operations/doctor/finding.ts'
import type { Loop } from '../../../src/runtime/jobs/loop.ts'
import { certificate } from '../../world/certificate.ts'
import { listen } from '../../world/listen.ts'
import { assertSigned, startReceiver } from '../../world/receiver.ts'
import { waitFor } from '../../world/wait-for.ts'
import { startWorld } from '../../world/world.ts'

const SECRET = `whsec_${Buffer.alloc(32, 3).toString('base64')}`

type Settings = Readonly<Record<string, string>>

/** An instance with an endpoint that the test breaks and repairs, and the doctor's loop of some nodes, which the test turns. */
async function startWatched(t: TestContext, settings: Settings, { nodes = 1 } = {}) {
  const world = await startWorld(t, { mayLogErrors: true })
  for (const table of ['doctor_runs', 'doctor_findings']) await world.query(`delete from ${table}`)
  await world.query(`update webhook_endpoints set status = 'enabled'`) // of the tests before
  const endpoint = await world.receiver()
  const config = { ...world.parts.config, ...alertSettings(settings) }
  const start = (ownConfig = config): Loop => {
    const loop = doctorLoop({ ...world.parts, config: ownConfig })
    t.after(() => loop.drain?.())
    return loop
  }
  const loops = Array.from({ length: nodes }, () => start())
  const turn = (): Promise<unknown> => Promise.all(loops.map((loop) => loop.turn()))
  await turn()
  await waitFor('the first turn', async () => (await world.query('select from doctor_runs')).length === 1)
  /** Lets time pass, and waits for the examination that is due then. */
  const examinedAfter = async (ms: number): Promise<void> => {
    world.clock.advance(Math.max(ms, EXAMINE_EVERY_MS + 1_000))
    const now = world.clock.now()
    await waitFor('an examination', async () => {
      await turn()
      return (await world.query('select from doctor_runs where lease is null and examined_at >= $1', [now])).length > 0
    })
  }
  const setStatus = (status: string) =>
    world.query('update webhook_endpoints set status = $2 where id = $1', [endpoint.endpointId, status])
  return {
    world,
    loops,
    start,
    turn,
    examinedAfter,
    breakEndpoint: () => setStatus('disabled'),
    repairEndpoint: () => setStatus('enabled'),
    /** Until the alert is raised. */
    async raised() {
      await setStatus('disabled')
      await examinedAfter(0)
      await examinedAfter(RAISE_AFTER_MS)
    },
    async cleared() {
      await setStatus('enabled')
      await examinedAfter(0)
      await examinedAfter(CLEAR_AFTER_MS)
    },
    waiting: () =>
      world.query<{ id: string; tries: number }>(
        `select alert_id as id, alert_tries as tries from doctor_findings where code = 'endpoint_disabled' and alert_id is not null`,
      ),
  }
}

function alertSettings(settings: Settings) {
  const { alertTarget, alertSecret, publicUrl } = readConfig(settings)
  return { alertTarget, alertSecret, publicUrl }
}

async function startWebhookAlerts(t: TestContext, options: { nodes?: number } = {}) {
  const receiver = await startReceiver()
  t.after(() => receiver.close())
  const settings = { DOORCODE_ALERT_URL: receiver.url, DOORCODE_ALERT_SECRET: SECRET }
  const watched = await startWatched(t, settings, options)
  const alerts = () => receiver.received.filter(({ body }) => body.includes('"endpoint_disabled"'))
  return {
    ...watched,
    receiver,
    alerts,
    types: () => alerts().map(({ event }) => event.type),
    arrived: (count: number) =>
      waitFor(
        () => `${count} alerts, of which ${alerts().length} came`,
        async () => {
          if (alerts().length >= count && (await watched.waiting()).length === 0) return true
          await watched.turn()
          return false
        },
      ),
  }
}

test('a finding that holds is one signed alert over two nodes, and one when it is over', async (t) => {
  const watched = await startWebhookAlerts(t, { nodes: 2 })
  await watched.raised()
  await watched.arrived(1)
  await watched.examinedAfter(MINUTE_MS)
  await watched.cleared()
  await watched.arrived(2)
  await watched.examinedAfter(MINUTE_MS)
  assert.deepEqual(watched.types(), ['finding.raised', 'finding.cleared'])
  const [raised, cleared] = watched.alerts()
  assert.ok(raised && cleared)
  assertSigned(raised, SECRET)
  const message = JSON.parse(raised.body) as Record<string, string>
  assert.deepEqual(Object.keys(message), [
    'id',
    'type',
    'time',
    'instance',
    'check',
    'finding',
    'severity',
    'text',
    'fix',
  ])
  assert.equal(message['id'], raised.id)
  assert.deepEqual([message['check'], message['severity']], ['setup', 'failure'])
  assert.match(message['text'] ?? '', /^The endpoint at .* has been disabled for .*: its events wait\.$/)
  assert.match(message['fix'] ?? '', /^Repair the receiver, then run “doorcode endpoint enable/)
  assert.notEqual(cleared.id, raised.id)
})

test('an alert is not sent again after a restart', async (t) => {
  const watched = await startWebhookAlerts(t)
  await watched.raised()
  await watched.arrived(1)
  for (const loop of watched.loops.splice(0)) await loop.drain?.()
  watched.loops.push(watched.start())
  await watched.examinedAfter(RAISE_AFTER_MS)
  await watched.examinedAfter(RAISE_AFTER_MS)
  assert.deepEqual(watched.types(), ['finding.raised'])
})

test('a moment in which another system failed raises no alert, because that system is asked again', async (t) => {
  const world = await startWorld(t, { works: false })
  const { db, clock } = world.parts
  for (const table of ['doctor_runs', 'doctor_findings']) await world.query(`delete from ${table}`)
  await claimRun(db, clock.now())
  const isAsked: boolean[] = []
  for (const check of ['fails', 'works', 'works', 'works'] as const) {
    world.clock.advance(EXAMINE_EVERY_MS + 1_000)
    const run = (await claimRun(db, clock.now())) ?? assert.fail('no examination was due')
    isAsked.push(run.outside)
    const found = toFinding(
      'public_url',
      check === 'fails' ? { code: 'public_url_status', url: 'https://shop.example', status: 502 } : { code: 'ok' },
    )
    await endRun(db, run, { findings: run.outside ? [found] : [], now: clock.now(), sends: true })
    assert.deepEqual(await claimAlerts(db, clock.now()), [])
  }
  assert.deepEqual(isAsked, [true, true, false, false])
})

test('an attempt of a node that died is made again with the same id', async (t) => {
  const watched = await startWebhookAlerts(t)
  watched.receiver.always({ hang: true })
  await watched.raised()
  await waitFor('the attempt', () => watched.alerts().length === 1)
  for (const loop of watched.loops.splice(0)) await loop.drain?.() // interrupts the attempt, whose lease stays
  watched.receiver.always({})
  watched.loops.push(watched.start())
  watched.world.clock.advance(SEND_LEASE_MS + 1_000)
  await watched.arrived(2)
  assert.equal(new Set(watched.alerts().map(({ id }) => id)).size, 1)
})

test('a receiver that is down gets the alert later, and a later change replaces it', async (t) => {
  const watched = await startWebhookAlerts(t)
  watched.receiver.always({ status: 503 })
  await watched.raised()
  await waitFor(
    'the first attempt',
    async () => (await watched.waiting())[0]?.tries === 1 && watched.alerts().length === 1,
  )
  watched.world.clock.advance(11_000)
  await waitFor('the second attempt', async () => {
    await watched.turn()
    return watched.alerts().length === 2
  })
  const [{ id: raisedId } = { id: '' }] = await watched.waiting()
  assert.deepEqual(new Set(watched.alerts().map(({ id }) => id)), new Set([raisedId]))
  await watched.cleared()
  watched.receiver.always({})
  const before = watched.alerts().length
  watched.world.clock.advance(SEND_LEASE_MS + 1_000)
  await watched.arrived(before + 1)
  assert.equal(watched.types().at(-1), 'finding.cleared')
  await watched.examinedAfter(MINUTE_MS)
  assert.equal(
    watched
      .alerts()
      .filter(({ event }) => event.type === 'finding.cleared')
      .at(-1)?.id,
    watched.alerts().at(-1)?.id,
  )
})

test('without the setting a waiting alert is dropped, and what is wrong is sent when it is set again', async (t) => {
  const watched = await startWebhookAlerts(t)
  watched.receiver.always({ status: 503 })
  await watched.raised()
  await waitFor('the first attempt', async () => (await watched.waiting())[0]?.tries === 1)
  const sending = watched.loops.splice(0, 1, watched.start(watched.world.parts.config))
  await watched.examinedAfter(0)
  assert.deepEqual(await watched.waiting(), [])
  watched.receiver.always({})
  const before = watched.alerts().length
  watched.loops.splice(0, 1, ...sending)
  await watched.examinedAfter(0)
  await watched.arrived(before + 1)
  assert.equal(watched.types().at(-1), 'finding.raised')
})

test('after the last try an alert is given up', async (t) => {
  const watched = await startWebhookAlerts(t)
  watched.receiver.always({ status: 500 })
  await watched.raised()
  await waitFor('the first attempt', () => watched.alerts().length === 1)
  await watched.world.query(`update doctor_findings set alert_tries = $1 where alert_id is not null`, [MAX_TRIES - 1])
  watched.world.clock.advance(61 * MINUTE_MS)
  await waitFor('the end', async () => {
    await watched.turn()
    return (await watched.waiting()).length === 0
  })
  await waitFor('the log', () => watched.world.first.logLines.some((line) => line.includes('was given up')))
})

test('the metrics of every node show each finding, and nothing while no examination was made', async (t) => {
  const watched = await startWatched(t, {})
  const metrics = createMetrics()
  const { parts } = watched.world
  // A reader keeps what it has read for a moment.
  metrics.watchInstance(() => createFiguresReader(parts, parts.db)())
  assert.doesNotMatch(await metrics.registry.metrics(), /doorcode_doctor_finding\{/)
  await watched.breakEndpoint()
  await watched.examinedAfter(0)
  const shown = await metrics.registry.metrics()
  assert.match(shown, /doorcode_doctor_finding\{finding="endpoint_disabled",severity="failure"\} 1/)
  assert.match(shown, /doorcode_doctor_finding\{finding="quarantined",severity="failure"\} 0/)
  assert.match(shown, /doorcode_doctor_examined_seconds \d/)
  assert.equal(shown.match(/doorcode_doctor_finding\{/g)?.length, Object.keys(SEVERITIES).length)
  await watched.repairEndpoint()
  await watched.examinedAfter(0)
  assert.match(await metrics.registry.metrics(), /finding="endpoint_disabled",severity="failure"\} 0/)
})

test('an examination whose node died is made by another node when its lease ends', async (t) => {
  const watched = await startWatched(t, {})
  const at = watched.world.clock.now()
  await watched.world.query('update doctor_runs set lease = gen_random_uuid(), due_at = $1', [
    new Date(at.getTime() + MAX_EXAMINATION_MS),
  ])
  await watched.examinedAfter(MAX_EXAMINATION_MS + 1_000)
})

test('an alert goes to a mail server once, with its id and its advice', async (t) => {
  const server = await startMailServer(t)
  const to = 'ops@shop.example,night@shop.example'
  const watched = await startWatched(t, {
    DOORCODE_ALERT_URL: `smtp://${server.address}/?from=doorcode@shop.example&to=${to}`,
  })
  await watched.raised()
  const mailOf = () =>
    server.mails.filter(({ text }) => text.includes('Subject: [Doorcode] failure: endpoint_disabled'))
  await waitFor('the mail', async () => mailOf().length > 0 && (await watched.waiting()).length === 0)
  await watched.examinedAfter(MINUTE_MS)
  const [mail, ...others] = mailOf()
  assert.deepEqual(others, [])
  assert.deepEqual(mail?.to, ['ops@shop.example', 'night@shop.example'])
  assert.match(mail?.text ?? '', /Message-ID: <[0-9a-f-]{36}@doorcode>/i)
  assert.match(mail?.text ?? '', /What to do:/)
})

test('a mail server that rejects every address is tried again', async (t) => {
  const server = await startMailServer(t, { rejects: true })
  const watched = await startWatched(t, {
    DOORCODE_ALERT_URL: `smtp://${server.address}/?from=doorcode@shop.example&to=ops@shop.example`,
  })
  await watched.raised()
  await waitFor('the log', () =>
    watched.world.first.logLines.some((line) => /EENVELOPE 550.*could not be sent and will be tried again/.test(line)),
  )
  assert.doesNotMatch(watched.world.first.logLines.join('\n'), /ops@shop/)
})

test('the log names what is wrong with the certificate of a mail server', async (t) => {
  const address = await listen(t, tls.createServer(certificate))
  const watched = await startWatched(t, {
    DOORCODE_ALERT_URL: `smtps://${address}/?from=doorcode@shop.example&to=ops@shop.example`,
  })
  await watched.raised()
  await waitFor('the log', () =>
    watched.world.first.logLines.some((line) => /DEPTH_ZERO_SELF_SIGNED_CERT.*will be tried again/.test(line)),
  )
})

type Mail = { to: string[]; text: string }

/** A mail server that speaks enough SMTP to accept or reject a mail (RFC 5321). */
async function startMailServer(t: TestContext, { rejects = false } = {}) {
  const mails: Mail[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    let buffered = ''
    let mail: Mail = { to: [], text: '' }
    let isData = false
    const say = (line: string): void => void socket.write(`${line}\r\n`)
    const command = (line: string): void => {
      if (/^(EHLO|HELO)/i.test(line)) say('250 test')
      else if (/^MAIL/i.test(line)) say('250 OK')
      else if (/^RCPT/i.test(line)) {
        if (rejects) return say('550 no such mailbox')
        mail.to.push(/<(.*)>/.exec(line)?.[1] ?? '')
        say('250 OK')
      } else if (/^DATA/i.test(line)) {
        isData = true
        say('354 go on')
      } else if (/^QUIT/i.test(line)) socket.end('221 bye\r\n')
      else say('250 OK')
    }
    socket.on('error', () => {})
    socket.on('data', (chunk: Buffer) => {
      buffered += chunk.toString('utf8')
      for (;;) {
        const end = buffered.indexOf(isData ? '\r\n.\r\n' : '\r\n')
        if (end < 0) return
        const part = buffered.slice(0, end)
        buffered = buffered.slice(end + (isData ? 5 : 2))
        if (isData) {
          mails.push({ ...mail, text: part.replace(/\r\n[ \t]/g, ' ').replace(/=\r\n/g, '') })
          mail = { to: [], text: '' }
          isData = false
          say('250 stored')
        } else command(part)
      }
    })
    say('220 test')
  })
  t.after(() => sockets.forEach((socket) => socket.destroy()))
  return { address: await listen(t, server), mails }
}
