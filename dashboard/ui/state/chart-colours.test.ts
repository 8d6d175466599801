import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CHART_COLOURS } from './chart-colours.ts'

/** WCAG 2.2, 1.4.11: the contrast of graphics with what is next to them. */
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
