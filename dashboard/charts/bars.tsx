import { Text } from '@mantine/core'
import { useTexts } from '../texts/use-texts.ts'
import { numberFormat } from '../ui/number.ts'
import { CodeLink } from '../ui/state/code-link.tsx'
import classes from './figure.module.css'
import { shareText } from './span.ts'

/** `code`: of a failure. */
export type Bar = { label: string; count: number; note?: string | undefined; code?: string; colour?: string }

/** Each with its number and its share of the whole: the bar only repeats them. */
export function Bars({ bars, whole }: { bars: readonly Bar[]; whole: number }) {
  const { language } = useTexts()
  const n = numberFormat(language)
  return (
    <ul className={classes.bars}>
      {bars.map(({ label, count, note, code, colour = 'door' }) => (
        <li key={label}>
          <div className={classes.line}>
            <bdi>{label}</bdi>
            <span>
              <strong>{n.format(count)}</strong> · {shareText(count, whole, language)}
            </span>
          </div>
          <div className={classes.track} aria-hidden="true">
            <div
              className={classes.fill}
              style={{
                inlineSize: whole === 0 ? 0 : `${Math.min(100, (count / whole) * 100)}%`,
                background: `var(--mantine-color-${colour}-filled)`,
              }}
            />
          </div>
          {note !== undefined && (
            <Text size="xs" c="dimmed">
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
