import { Tooltip } from '@mantine/core'
import { useTexts } from '../texts/use-texts.ts'
import { type TimeKind, type WorkspaceClock, relativeTime, workspaceClock } from './time/clock.ts'
import { useTick } from './time/now.ts'
import { CLOCK, DAY } from './time/parts.ts'
import { useZoneOnPage } from './time/zone.tsx'
import classes from './time.module.css'
import { type Workspace, useWorkspace } from './workspace.ts'
import { dateFormat } from './formats.ts'

const SECOND = { ...DAY, hour: '2-digit', minute: '2-digit', second: '2-digit', ...CLOCK } as const

const FORMS = {
  minute: { ...DAY, hour: '2-digit', minute: '2-digit', ...CLOCK },
  /** For instants that are close together. */
  second: SECOND,
  /** For times below a heading with the day. */
  clock: { timeStyle: 'medium', ...CLOCK },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>

type Form = keyof typeof FORMS | 'relative'

/** Times further away are shown as dates. */
const MAX_RELATIVE_MS = 7 * 86_400_000
/** A smaller difference is only the time that a request takes. */
const MIN_DIFFERENCE_MS = 1_000

/** An instant by the workspace's clock, in its delivery zone, which the page names once. */
export function Time({ at, kind, form = 'minute' }: { at: string | Date; kind: TimeKind; form?: Form }) {
  const { language } = useTexts()
  const { timeZone } = useWorkspace()
  const clock = useWorkspaceClock()
  useTick(form === 'relative')
  useZoneOnPage()
  const { shown, real } = clock.read(new Date(at), kind)
  const textOf = (instant: Date, options: Intl.DateTimeFormatOptions): string =>
    dateFormat(language, { timeZone, ...options }).format(instant)
  const now = kind === 'real' ? new Date() : clock.now()
  const isNear = Math.abs(shown.getTime() - now.getTime()) < MAX_RELATIVE_MS
  return (
    <Tooltip multiline label={<Exact shown={shown} real={real} />}>
      <time className={classes['time']} dateTime={shown.toISOString()}>
        {form !== 'relative'
          ? textOf(shown, FORMS[form])
          : isNear
            ? relativeTime(shown, now, language)
            : textOf(shown, FORMS.minute)}
      </time>
    </Tooltip>
  )
}

/** Rendered when the tooltip opens. */
function Exact({ shown, real }: { shown: Date; real: Date }) {
  const { t, language } = useTexts()
  const { timeZone } = useWorkspace()
  const format = dateFormat(language, { timeZone, ...SECOND })
  const differs = Math.abs(shown.getTime() - real.getTime()) >= MIN_DIFFERENCE_MS
  return (
    <>
      {format.format(shown)} <bdi>{timeZone}</bdi>
      {differs && (
        <>
          <br />
          {t('page_shell.real_time', { time: format.format(real) })}
        </>
      )}
    </>
  )
}

const clocks = new WeakMap<Workspace, WorkspaceClock>()

/** The clock of the workspace that the page's path names. */
export function useWorkspaceClock(): WorkspaceClock {
  const workspace = useWorkspace()
  const known = clocks.get(workspace)
  if (known) return known
  const clock = workspaceClock(workspace)
  clocks.set(workspace, clock)
  return clock
}
