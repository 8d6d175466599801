import { Text, Tooltip } from '@mantine/core'
import {
  type ReactNode,
  createContext,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import { CLOCK, DAY, MINUTE, dateFormat } from '../texts/formats.ts'
import { useTexts } from '../texts/use-texts.ts'
import { type TimeKind, type WorkspaceClock, nearTime, workspaceClock } from './clock.ts'
import classes from './time.module.css'
import { type Workspace, useWorkspace, useWorkspaceIfAny } from './workspace.ts'

const SECOND = { ...DAY, ...MINUTE, second: '2-digit' } as const

const FORMS = {
  minute: { ...DAY, ...MINUTE },
  /** For instants that are close together. */
  second: SECOND,
  /** For times below a heading with the day. */
  clock: { timeStyle: 'medium', ...CLOCK },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>

type Form = keyof typeof FORMS | 'relative'

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
  const now = kind === 'real' ? new Date() : clock.now()
  const text = useRef<HTMLTimeElement>(null)
  const [isPointedAt, setIsPointedAt] = useState(false)
  return (
    <>
      <time
        ref={text}
        className={classes['time']}
        dateTime={shown.toISOString()}
        onPointerEnter={({ pointerType }) => setIsPointedAt(pointerType === 'mouse')}
        onPointerLeave={() => setIsPointedAt(false)}
      >
        {form === 'relative'
          ? nearTime(shown, now, { language, timeZone })
          : dateFormat(language, { timeZone, ...FORMS[form] }).format(shown)}
      </time>
      {/* Mounted only when needed: a page shows many times, and a tooltip costs more to render than the time itself. */}
      {isPointedAt && <Tooltip target={text} defaultOpened multiline label={<Exact shown={shown} real={real} />} />}
    </>
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

type Times = { add: () => () => void }

const TimesOnPage = createContext<Times | undefined>(undefined)

/** Each time announces itself to its page, which then names the zone. */
function useZoneOnPage(): void {
  const times = useContext(TimesOnPage)
  useEffect(() => times?.add(), [times])
}

export function useTimesOnPage(): { hasTimes: boolean; Provider: (props: { children: ReactNode }) => ReactNode } {
  const [count, setCount] = useState(0)
  const Provider = useMemo(() => {
    const times: Times = {
      add() {
        setCount((before) => before + 1)
        return () => setCount((before) => before - 1)
      },
    }
    return ({ children }: { children: ReactNode }) => <TimesOnPage value={times}>{children}</TimesOnPage>
  }, [])
  return { hasTimes: count > 0, Provider }
}

/** The page's only mention of the time zone. It keeps its place until the page has loaded its times. */
export function ZoneOfPage({ isShown }: { isShown: boolean }) {
  const { t } = useTexts()
  const workspace = useWorkspaceIfAny()
  if (!workspace) return null
  return (
    <Tooltip label={t('page_shell.zone_hint')}>
      <Text size="sm" c="dimmed" data-zone {...(!isShown && { style: { visibility: 'hidden' } })}>
        <span className="as-typed">{workspace.timeZone}</span>
      </Text>
    </Tooltip>
  )
}

const TICK_MS = 10_000

const listeners = new Set<() => void>()
let tick = 0
let timer: ReturnType<typeof setInterval> | undefined

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(() => {
    tick += 1
    for (const each of listeners) each()
  }, TICK_MS)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

const never = (): (() => void) => () => {}

/** Renders again at each tick, which all relative times of the page share. */
const useTick = (ticks: boolean): unknown => useSyncExternalStore(ticks ? subscribe : never, () => tick)
