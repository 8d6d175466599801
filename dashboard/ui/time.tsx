import { Text, Tooltip } from '@mantine/core'
import { useLanguage } from '../words.ts'
import { CLOCK, DAY } from './time-parts.ts'
import { useWorkspace } from './workspace.ts'

/** An instant in the workspace's delivery zone, which it names. */
export function Time({ at }: { at: string | Date }) {
  const { timeZone } = useWorkspace()
  const { language } = useLanguage()
  const date = new Date(at)
  return (
    <Tooltip label={`${date.toISOString()} · ${timeZone}`}>
      <Text span inherit component="time" dateTime={date.toISOString()} style={{ whiteSpace: 'nowrap' }}>
        {timeFormat(language, timeZone).format(date)}
      </Text>
    </Tooltip>
  )
}

/** Digits as the rest of the page has them: ids, phones and codes are not Arabic-Indic either. */
export const timeFormat = (language: string, timeZone: string): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat(`${language}-u-nu-latn`, { timeZone, ...DAY, hour: '2-digit', minute: '2-digit', ...CLOCK })
