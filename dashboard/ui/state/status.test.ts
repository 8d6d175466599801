import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readResources } from '../../../locales/resources.ts'
import { CONFIRMATION_STATUSES } from '../../../src/cod/conversation/confirmation.ts'
import { REFUSAL_STATUSES } from '../../../src/cod/conversation/refusal.ts'
import { MESSAGE_STATUSES } from '../../../src/messages/status.ts'
import { DELIVERY_STATUSES } from '../../../src/webhooks/delivery/claim.ts'
import { CHART_COLOURS, STATUS_TONES, toneOf } from './status.ts'

test('each status has exactly one word', () => {
  const expected = Object.entries(STATUS_TONES).flatMap(([of, tones]) =>
    Object.keys(tones).map((status) => `${of}_${status}`),
  )
  assert.deepEqual(Object.keys(readResources('en')['statuses'] ?? {}).toSorted(), expected.toSorted())
})

test('every status of the API has a word and a tone', () => {
  const known = {
    message: MESSAGE_STATUSES,
    confirmation: CONFIRMATION_STATUSES,
    refusal: REFUSAL_STATUSES,
    delivery: DELIVERY_STATUSES,
  } as const
  for (const [of, statuses] of Object.entries(known)) {
    const tones = STATUS_TONES[of as keyof typeof known]
    assert.deepEqual(
      [...statuses].filter((status) => !Object.hasOwn(tones, status)),
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
  assert.equal(toneOf('template', 'APPROVED'), 'success')
  assert.equal(toneOf('template', 'SOMETHING_NEW'), 'neutral')
})

/** WCAG 2.2, 1.4.11: the contrast of graphics with adjacent colours. */
const MIN_CONTRAST = 3
/** Mantine's body in each theme. */
const BODY = { light: '#ffffff', dark: '#242424' } as const

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
  const faults = Object.entries(CHART_COLOURS).flatMap(([name, colours]) =>
    (['light', 'dark'] as const)
      .map((theme) => ({ name, theme, contrast: contrastOf(colours[theme], BODY[theme]) }))
      .filter(({ contrast }) => contrast < MIN_CONTRAST),
  )
  assert.deepEqual(faults, [])
})
