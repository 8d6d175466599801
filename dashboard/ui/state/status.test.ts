import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { readResources } from '../../../locales/resources.ts'
import { CONFIRMATION_STATUSES } from '../../../src/cod/conversation/confirmation.ts'
import { REFUSAL_STATUSES } from '../../../src/cod/conversation/refusal.ts'
import { MESSAGE_STATUSES } from '../../../src/messages/status.ts'
import { FINDINGS } from '../../../src/operations/doctor/finding.ts'
import { DELIVERY_STATUSES } from '../../../src/webhooks/delivery/claim.ts'
import { RAISED } from '../shell/theme.ts'
import { COLOURS, STATE_COLOURS, STATUS_COLOURS, colourOf, needsALook } from './status.ts'

test('each status has exactly one word', () => {
  const expected = Object.entries(STATUS_COLOURS).flatMap(([of, colours]) =>
    Object.keys(colours).map((status) => `${of}_${status}`),
  )
  assert.deepEqual(Object.keys(readResources('en')['statuses'] ?? {}).toSorted(), expected.toSorted())
})

test('every status of the API has a word and a colour', () => {
  const known = {
    message: MESSAGE_STATUSES,
    confirmation: CONFIRMATION_STATUSES,
    refusal: REFUSAL_STATUSES,
    delivery: DELIVERY_STATUSES,
  } as const
  for (const [of, statuses] of Object.entries(known)) {
    const colours = STATUS_COLOURS[of as keyof typeof known]
    assert.deepEqual(
      [...statuses].filter((status) => !Object.hasOwn(colours, status)),
      [],
      of,
    )
  }
})

test('the API’s words are the pages’ words', () => {
  const texts = readResources('en')['statuses'] ?? {}
  for (const status of MESSAGE_STATUSES) assert.equal(texts[`message_${status}`]?.toLowerCase(), status)
  for (const status of CONFIRMATION_STATUSES)
    assert.equal(texts[`confirmation_${status}`]?.toLowerCase(), status.replaceAll('_', ' '))
  for (const status of DELIVERY_STATUSES) assert.equal(texts[`delivery_${status}`]?.toLowerCase(), status)
})

test('a new word of WhatsApp is neutral', () => {
  assert.equal(colourOf('template', 'APPROVED'), 'success')
  assert.equal(colourOf('template', 'SOMETHING_NEW'), 'neutral')
})

test('an overview, a page and System give the same problem the same colour', () => {
  const { setup } = FINDINGS
  for (const [colour, level] of [
    [STATUS_COLOURS.account.credentials_invalid, setup.account_rejected],
    [STATUS_COLOURS.account.credentials_unreadable, setup.account_unreadable],
    [STATUS_COLOURS.sender.cannot_send, setup.sender_unusable],
    [STATUS_COLOURS.sender.paused, setup.sender_paused],
    [STATUS_COLOURS.template.paused, setup.template_stopped],
    [STATUS_COLOURS.template.disabled, setup.template_disabled],
    [STATUS_COLOURS.template.rejected, setup.template_stopped],
    [STATUS_COLOURS.endpoint.disabled, setup.endpoint_disabled],
    [STATUS_COLOURS.endpoint.failing, setup.endpoint_failing],
    [STATE_COLOURS.quota.is_out, setup.quota_used_up],
  ] as const)
    assert.equal(colour, STATE_COLOURS.level[level])
})

test('an outcome of several statuses has the colour of each of them', () => {
  const { message, confirmation, refusal } = STATUS_COLOURS
  assert.deepEqual(new Set([message.accepted, message.received, message.queued, message.sending]).size, 1)
  assert.deepEqual(new Set([confirmation.accepted, confirmation.awaiting_answer, confirmation.rescheduling]).size, 1)
  assert.deepEqual(
    new Set([refusal.accepted, refusal.awaiting_answer, refusal.awaiting_reason, refusal.awaiting_note]).size,
    1,
  )
})

test('normal outcomes are quiet', () => {
  const { message, confirmation, delivery, key } = STATUS_COLOURS
  for (const colour of [message.read, message.sent, confirmation.confirmed, confirmation.cancelled, delivery.succeeded])
    assert.equal(needsALook(colour), false)
  for (const colour of [message.failed, confirmation.no_response, delivery.retrying, key.expires_soon])
    assert.equal(needsALook(colour), true)
})

const FOLDER = path.resolve(import.meta.dirname, '../..')

test('no other file of the pages gives a status a colour', async () => {
  const statuses = new Set(
    [STATUS_COLOURS, STATE_COLOURS].flatMap((table) => Object.values(table).flatMap((each) => Object.keys(each))),
  )
  const colours = [...Object.keys(COLOURS), 'red', 'green', 'teal', 'blue', 'orange', 'yellow', 'gray'].join('|')
  const status = [...statuses].join('|')
  const pairs = [
    new RegExp(`[{,]\\s*['"]?(?:${status})['"]?\\s*:\\s*['"](?:${colours})['"]`), // read: 'success'
    new RegExp(`['"](?:${status})['"][^\n]*\\b(?:tone|colou?r):\\s*['"](?:${colours})['"]`), // { status: 'read', colour: 'success' }
    new RegExp(`===\\s*['"](?:${status})['"]\\s*\\?\\s*['"](?:${colours})['"]`), // === 'read' ? 'success' : …
    new RegExp(`\\[data-(?:status|state|level)=["']?(?:${status})["']?\\][^{]*\\{[^}]*colour-`), // CSS
  ]
  const faults: string[] = []
  for await (const file of glob('**/*.{ts,tsx,css}', { cwd: FOLDER, exclude: (name) => name === 'dist' })) {
    if (/ui\/state\/status\.ts$|\.test\.ts$/.test(file)) continue
    const text = await readFile(path.join(FOLDER, file), 'utf8')
    for (const pair of pairs) {
      const found = pair.exec(text)
      if (found) faults.push(`${file}: ${found[0]}`)
    }
  }
  assert.deepEqual(faults, [])
})

/** WCAG 2.2, 1.4.11: the contrast of graphics with adjacent colours. */
const MIN_CONTRAST = 3
/** What bars and dots stand on: the page, and in the dark its raised cards. */
const BODY = { light: '#ffffff', dark: RAISED } as const

function luminanceOf(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrastOf(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminanceOf(one), luminanceOf(other)].toSorted((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

test('every colour of a chart stands out from the page in both themes', () => {
  const faults = Object.entries(COLOURS).flatMap(([name, colours]) =>
    (['light', 'dark'] as const)
      .map((theme) => ({ name, theme, contrast: contrastOf(colours[theme], BODY[theme]) }))
      .filter(({ contrast }) => contrast < MIN_CONTRAST),
  )
  assert.deepEqual(faults, [])
})
