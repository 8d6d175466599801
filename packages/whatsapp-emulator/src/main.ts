#!/usr/bin/env node
import { type Configuration, SETTINGS, readConfiguration } from './configuration.ts'
import { DEMO, demoAccount, startEmulator } from './index.ts'
import type { InboundRecord } from './messages/inbox.ts'
import type { Message } from './messages/messages.ts'

await main().catch((fault: unknown) => {
  console.error(fault instanceof Error ? fault.message : fault)
  process.exit(1)
})

async function main(): Promise<void> {
  const configuration = readConfiguration(process.argv.slice(2), process.env)
  const { callbackUrl, appSecret, accessToken, verifyToken, portNumber, speedFactor, data } = configuration
  const account = demoAccount({ appSecret, accessToken, verifyToken, ...(callbackUrl === '' ? {} : { callbackUrl }) })
  const emulator = await startEmulator({
    port: portNumber,
    speed: speedFactor,
    accounts: [account],
    ...(data === '' ? {} : { data }),
    log: console.log,
    warn: console.warn,
  }).catch((fault: unknown) => {
    const isPortTaken = fault instanceof Error && 'code' in fault && fault.code === 'EADDRINUSE'
    throw isPortTaken
      ? new Error(`Port ${portNumber} is in use. Stop the other program or set --${SETTINGS.port.flag} to another.`)
      : fault
  })
  emulator.onMessage((message) => console.log(line(message)))
  emulator.onInbound((record) => console.log(answerLine(record)))
  console.log(welcome(emulator.url, configuration))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      console.log('\nThe emulator stops.')
      void emulator.close()
    })
  }
}

/** It shows messages like a phone on a desk, including codes. */
function line({ to, template, text }: Message): string {
  return `→ ${to}${template === undefined ? '' : ` (${template.name}, ${template.language})`}: ${text.replaceAll('\n', ' ⏎ ')}`
}

function answerLine({ from, did, text }: InboundRecord): string {
  return `← +${from} ${did}: ${text.replaceAll('\n', ' ⏎ ')}`
}

function welcome(url: string, { accessToken, callbackUrl }: Configuration): string {
  return `The WhatsApp emulator listens on ${url}

  account         ${DEMO.accountId}
  phone numbers   ${DEMO.standardNumberId} (${DEMO.standardNumber}, 80 messages/s)
                  ${DEMO.highNumberId} (${DEMO.highNumber}, 1000 messages/s)
  access token    ${accessToken}
  webhooks to     ${callbackUrl === '' ? 'nowhere: start with --callback-url to get them' : callbackUrl}

Send a one-time code:

  curl -s ${url}/v25.0/${DEMO.standardNumberId}/messages -H 'authorization: Bearer ${accessToken}' -H 'content-type: application/json' -d '{
    "messaging_product":"whatsapp","to":"+34600111222","type":"template","template":{"name":"login_code","language":{"code":"en_US"},"components":[
      {"type":"body","parameters":[{"type":"text","text":"493817"}]},
      {"type":"button","sub_type":"url","index":"0","parameters":[{"type":"text","text":"493817"}]}]}}'

A customer who answers: send order_confirmation to +34600110701; the emulator's README.md lists the others.
See it on the phone:  ${url}/phone
Or as JSON:           curl -s '${url}/control/messages?to=%2B34600111222'
Everything else:      curl -s ${url}/    and the emulator's README.md
`
}
