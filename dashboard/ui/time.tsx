import { Text, Tooltip } from '@mantine/core'
import { type ReactNode, createContext, useContext } from 'react'
import { useTexts } from '../texts/use-texts.ts'
import { CLOCK, DAY } from './time-parts.ts'
import classes from './time.module.css'
import { useWorkspace } from './workspace.ts'

/** Whether the surrounding element already shows the zone. */
const ZoneNamed = createContext(false)

const FORMS = {
  minute: { ...DAY, hour: '2-digit', minute: '2-digit', ...CLOCK },
  /** For instants that are close together. */
  second: { ...DAY, hour: '2-digit', minute: '2-digit', second: '2-digit', ...CLOCK },
  /** Below a heading that has the day. */
  clock: { timeStyle: 'medium', ...CLOCK },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>

/** An instant in the workspace's delivery zone, with the zone behind it unless a head or a caption shows that. */
export function Time({ at, form = 'minute' }: { at: string | Date; form?: keyof typeof FORMS }) {
  const { timeZone } = useWorkspace()
  const { language } = useTexts()
  const isNamed = useContext(ZoneNamed)
  const date = new Date(at)
  return (
    <Tooltip label={date.toISOString()}>
      <time dateTime={date.toISOString()}>
        <span className={classes['instant']}>{formatOf(language, { timeZone, form }).format(date)}</span>
        {/* the space goes with it: a sentence that goes on behind an unseen zone has one of its own */}
        <span className={classes['zone']} data-zone data-named={isNamed || undefined}>
          {' '}
          <span className="as-typed">{timeZone}</span>
        </span>
      </time>
    </Tooltip>
  )
}

/** Digits as the rest of the page has them: ids, phones and codes are not Arabic-Indic either. */
const formatOf = (
  language: string,
  { timeZone, form }: { timeZone: string; form: keyof typeof FORMS },
): Intl.DateTimeFormat => new Intl.DateTimeFormat(`${language}-u-nu-latn`, { timeZone, ...FORMS[form] })

/** Shows the zone once for all times inside. */
export function ZoneNamedBy({ head, children }: { head: string; children: ReactNode }) {
  return (
    <div data-zone-named-by={head}>
      <ZoneNamed value>{children}</ZoneNamed>
    </div>
  )
}

/** For a column of times whose head shows the zone. */
export const ZoneNamedInHead = ({ children }: { children: ReactNode }) => <ZoneNamed value>{children}</ZoneNamed>

/** Shows the zone of the times below it; give its id to ZoneNamedBy. */
export function ZoneCaption({ id, mb = 0, children }: { id?: string; mb?: 'sm' | 0; children: ReactNode }) {
  const { timeZone } = useWorkspace()
  return (
    <Text {...(id && { id })} size="sm" c="dimmed" mb={mb}>
      {children} <span className="as-typed">{timeZone}</span>
    </Text>
  )
}
