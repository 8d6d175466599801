import { Text } from '@mantine/core'
import { useTexts } from '../texts/use-texts.ts'
import { type ChartColour, chartColour } from '../ui/state/chart-colours.ts'
import { numberFormat } from '../ui/formats.ts'
import { CodeLink } from '../ui/state/code-link.tsx'
import classes from './figure.module.css'
import { shareText } from './span.ts'

/** `code`: of a failure. */
export type Bar = { label: string; count: number; note?: string | undefined; code?: string; colour?: ChartColour }

/** Bars with their numbers and shares of the whole. The bar itself only repeats what the text says. */
export function Bars({ bars, whole }: { bars: readonly Bar[]; whole: number }) {
  const { language } = useTexts()
  const n = numberFormat(language)
  return (
    <ul className={classes['bars']}>
      {bars.map(({ label, count, note, code, colour = 'first' }) => (
        <li key={label}>
          <bdi>{label}</bdi>
          <div className={classes['track']} aria-hidden="true">
            <div
              className={classes['fill']}
              style={{
                inlineSize: whole === 0 ? 0 : `${Math.min(100, (count / whole) * 100)}%`,
                background: chartColour(colour),
              }}
            />
          </div>
          <strong>{n.format(count)}</strong>
          <span>{shareText(count, whole, language)}</span>
          {note !== undefined && (
            <Text size="xs" c="dimmed" className={classes['note'] ?? ''}>
              {note}
            </Text>
          )}
          {code !== undefined && (
            <Text size="xs">
              <CodeLink code={code} />
            </Text>
          )}
        </li>
      ))}
    </ul>
  )
}
