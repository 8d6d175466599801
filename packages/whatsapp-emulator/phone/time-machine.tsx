import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { DAY, DAY_MS, HOUR_MS, MINUTE_MS, formatOf, spanOf } from './clock.ts'
import { Select } from './select.tsx'
import style from './time-machine.module.css'
import type { CodedText, TextValue } from '../../../locales/text.ts'
import { usePhoneTexts } from './texts.ts'

export type DueRow = {
  id: string
  what: string
  /** Phones, names and references that identify it. */
  about: readonly string[]
  /** The time on the clock that is shown. */
  at: string
  /** How many more of its kind follow. */
  others?: number
  /** The name of its button, and what the button does. */
  jump?: { name: TextValue; inMs: number; run: () => Promise<Outcome> } | undefined
}

export type Outcome = {
  requestedMs: number
  movedMs: number
  /** What happened on the way: "2 statuses". */
  happened: readonly CodedText[]
}

/** A clock that can be moved: an emulator's own, or a workspace's. */
export type TimeSource = {
  clockName: string
  now: () => Date
  timeZone: string
  aheadMs: number
  /** Without rows while loading. */
  lists: readonly { title: string; rows: readonly DueRow[] | undefined; nothing: string }[]
  /** Undefined if this person or page cannot move the clock; then `instead` is shown. */
  move: ((byMs: number) => Promise<Outcome>) | undefined
  instead?: ReactNode
  /** Why the clock stopped early, with the span that is left. */
  stopped: (span: string) => string
  showError: (error: unknown) => ReactNode
}

const UNITS = { m: MINUTE_MS, h: HOUR_MS, d: DAY_MS } as const
type Unit = keyof typeof UNITS
/** The maximum of one move, for every clock. */
const MAX_DAYS = 90
const TICK_MS = 1_000
/** A shorter move shows no progress. */
const LONG_MS = 300

/** The time, what is due next, and jumps to it. `title`: whether it is shown, or the page shows it elsewhere. */
export function TimeMachine({ source, title }: { source: TimeSource; title: 'shown' | 'hidden' }) {
  const { t } = usePhoneTexts()
  const id = useId()
  const result = useRef<HTMLDivElement>(null)
  const now = useNow(source.now)
  const { lists, move, aheadMs, stopped, showError, instead } = source
  const [moving, setMoving] = useState<{ fromMs: number; byMs: number }>()
  const [{ outcome, error }, setEnded] = useState<{ outcome?: Outcome; error?: unknown }>({})
  const isMoving = moving !== undefined
  const run = async (byMs: number, start: () => Promise<Outcome>): Promise<void> => {
    setMoving({ fromMs: aheadMs, byMs })
    setEnded({})
    try {
      setEnded({ outcome: await start() })
    } catch (error) {
      setEnded({ error })
    }
    setMoving(undefined)
  }
  const moveBy = (byMs: number): void => void (move && run(byMs, () => move(byMs)))
  // The row that was jumped to leaves the list with its button, so the focus moves to what happened.
  const jumpTo = async ({ jump }: DueRow): Promise<void> => {
    if (jump) await run(jump.inMs, jump.run)
    result.current?.focus()
  }
  return (
    <section className={style.time} aria-labelledby={id}>
      <h2 id={id} className={title === 'hidden' ? style.hidden : style.heading}>
        {t('page_time_machine.time_machine')}
      </h2>
      <Clock source={source} now={now} />
      {lists.map((list) => (
        <div key={list.title}>
          <h3>{list.title}</h3>
          {list.rows?.length === 0 && <p className={style.quiet}>{list.nothing}</p>}
          <ul className={style.due}>
            {list.rows?.map((row) => (
              <li key={row.id}>
                <DueItem {...{ row, now, isMoving, timeZone: source.timeZone }} onJump={() => void jumpTo(row)} />
              </li>
            ))}
          </ul>
        </div>
      ))}
      {move ? <Spans isMoving={isMoving} onMove={moveBy} /> : instead}
      <div ref={result} tabIndex={-1} className={style.result}>
        <div role="status">
          {moving && <OnTheWay {...moving} aheadMs={aheadMs} />}
          {outcome && <Happened {...outcome} stopped={stopped} />}
        </div>
        {move && outcome && outcome.movedMs < outcome.requestedMs && (
          <button type="button" onClick={() => moveBy(outcome.requestedMs - outcome.movedMs)}>
            {t('page_time_machine.go_on')}
          </button>
        )}
        {error !== undefined && showError(error)}
      </div>
    </section>
  )
}

function useNow(now: () => Date): Date {
  const [, setTicks] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setTicks((ticks) => ticks + 1), TICK_MS)
    return () => clearInterval(timer)
  }, [])
  return now()
}

function Clock({ source: { clockName, timeZone, aheadMs }, now }: { source: TimeSource; now: Date }) {
  const { t, language } = usePhoneTexts()
  return (
    <div>
      <p className={style.quiet}>{clockName}</p>
      <p className={style.now}>
        <time dateTime={now.toISOString()}>{formatOf(language, { timeZone, ...SECONDS }).format(now)}</time>
      </p>
      <p className={style.quiet}>
        <bdi dir="ltr">{timeZone}</bdi> ·{' '}
        {aheadMs > 0
          ? t('page_time_machine.ahead', { span: spanOf(aheadMs, language) })
          : t('page_time_machine.not_ahead')}
      </p>
    </div>
  )
}

type Item = { row: DueRow; now: Date; timeZone: string; isMoving: boolean; onJump: () => void }

function DueItem({ row: { what, about, at, others = 0, jump }, now, timeZone, isMoving, onJump }: Item) {
  const { t, language } = usePhoneTexts()
  const inMs = Date.parse(at) - now.getTime()
  return (
    <>
      <div>
        <p>{what}</p>
        <p className={style.quiet}>
          {about.map((each) => (
            <span key={each}>
              <bdi>{each}</bdi> ·{' '}
            </span>
          ))}
          <time dateTime={at}>{formatOf(language, { timeZone, ...MINUTES }).format(new Date(at))}</time> ·{' '}
          {inMs > 0 ? t('page_time_machine.in', { span: spanOf(inMs, language) }) : t('page_time_machine.due_now')}
          {others > 0 && ` · ${t('page_time_machine.others', { count: others })}`}
        </p>
      </div>
      {jump && (
        <button
          type="button"
          aria-label={t('page_time_machine.jump_to', { what: jump.name })}
          aria-disabled={isMoving}
          onClick={() => isMoving || onJump()}
        >
          {t('page_time_machine.jump')}
        </button>
      )}
    </>
  )
}

function Spans({ isMoving, onMove }: { isMoving: boolean; onMove: (byMs: number) => void }) {
  const { t } = usePhoneTexts()
  const id = useId()
  const [count, setCount] = useState('2')
  const [unit, setUnit] = useState<Unit>('h')
  const spans = [
    { label: t('page_time_machine.quarter'), ms: 15 * MINUTE_MS },
    { label: t('page_time_machine.hour'), ms: HOUR_MS },
    { label: t('page_time_machine.day'), ms: DAY_MS },
  ]
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (!isMoving) onMove(Number(count) * UNITS[unit])
  }
  return (
    <div role="group" aria-labelledby={id}>
      <h3 id={id}>{t('page_time_machine.move_by')}</h3>
      <div className={style.spans}>
        {spans.map(({ label, ms }) => (
          <button key={ms} type="button" aria-disabled={isMoving} onClick={() => isMoving || onMove(ms)}>
            {label}
          </button>
        ))}
      </div>
      <form className={style.spans} onSubmit={submit}>
        <input
          type="number"
          aria-label={t('page_time_machine.other')}
          required
          min={1}
          max={(MAX_DAYS * DAY_MS) / UNITS[unit]}
          step={1}
          value={count}
          onChange={({ currentTarget }) => setCount(currentTarget.value)}
        />
        <Select
          aria-label={t('page_time_machine.unit')}
          value={unit}
          onChange={({ currentTarget: { value } }) => {
            if (value in UNITS) setUnit(value as Unit)
          }}
        >
          {(['m', 'h', 'd'] as const).map((value) => (
            <option key={value} value={value}>
              {t(`page_time_machine.units_${value}`)}
            </option>
          ))}
        </Select>
        <button type="submit" className={style.main} aria-disabled={isMoving}>
          {t('page_time_machine.move')}
        </button>
      </form>
    </div>
  )
}

function OnTheWay({ fromMs, byMs, aheadMs }: { fromMs: number; byMs: number; aheadMs: number }) {
  const { t } = usePhoneTexts()
  const [isLong, setLong] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), LONG_MS)
    return () => clearTimeout(timer)
  }, [])
  if (!isLong) return null
  return (
    <>
      <p>{t('page_time_machine.moving')}</p>
      <progress
        aria-label={t('page_time_machine.time_machine')}
        max={byMs}
        value={Math.min(byMs, Math.max(0, aheadMs - fromMs))}
      />
    </>
  )
}

function Happened({ requestedMs, movedMs, happened, stopped }: Outcome & Pick<TimeSource, 'stopped'>) {
  const { t, language } = usePhoneTexts()
  if (requestedMs === 0) return <p>{t('page_time_machine.has_come')}</p>
  return (
    <>
      <p className={style.heading}>{t('page_time_machine.moved', { span: spanOf(movedMs, language) })}</p>
      <p>
        {happened.length > 0
          ? t('page_time_machine.on_the_way', { happened })
          : t('page_time_machine.nothing_happened')}
      </p>
      {movedMs < requestedMs && <p>{stopped(spanOf(requestedMs - movedMs, language))}</p>}
    </>
  )
}

const MINUTES = { ...DAY, hour: '2-digit', minute: '2-digit' } as const
const SECONDS = { ...MINUTES, second: '2-digit' } as const
