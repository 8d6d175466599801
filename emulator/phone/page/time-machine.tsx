import { type FormEvent, useEffect, useRef, useState } from 'react'
import type { Pair } from '../chats.ts'
import { REAL_CLOCK } from '../clock.ts'
import type { Due, FirstDue, Happened, Moved } from '../due.ts'
import { Unreachable } from '../source.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, spanOf } from '../span.ts'
import type { Screen } from '../state.ts'
import { type Language, type PhoneWords, usePhoneLanguage, usePhoneWords } from '../words.ts'
import { useTimeWords } from './time-words.ts'
import { type Moving, type Target, useDue, useMove, useTick } from './use-time.ts'

const UNITS = { m: MINUTE_MS, h: HOUR_MS, d: DAY_MS } as const
type Unit = keyof typeof UNITS
/** The twin moves no farther at once (clockMoveMs). */
const DAYS_MOST = 90
/** Whatever is there sooner needs no word on the way. */
const LONG_MS = 300

/** The twin's time, what it does by itself next, and jumps to it. */
export function TimeMachine({
  screen,
  selected,
  clock,
}: {
  screen: Screen
  selected: Pair | undefined
  clock: { now: () => Date }
}) {
  const text = useTimeWords()
  const now = useTick(clock)
  const { time } = screen
  if (time === undefined) return null
  return (
    <section className="box time" aria-labelledby="time-machine">
      <h2 id="time-machine">{text.timeMachine}</h2>
      <Clock now={now} aheadMs={time.aheadMs} />
      {time.movedAt === null ? (
        <Moves screen={screen} selected={selected} now={now} />
      ) : (
        <p>
          {text.movedElsewhere} <a href={time.movedAt}>{text.toTimeMachine}</a>
        </p>
      )}
    </section>
  )
}

function Moves({ screen, selected, now }: { screen: Screen; selected: Pair | undefined; now: Date }) {
  const text = useTimeWords()
  const words = usePhoneWords()
  const due = useDue(selected, screen)
  const { move, moving, moved, fault } = useMove(screen.time)
  const result = useRef<HTMLDivElement>(null)
  const isMoving = moving !== undefined
  // What was jumped to goes from the list, and its button with it: whoever pressed it is led to what happened.
  const jump = (each: Due): void => void move({ to: each.at }, each.inMs).then(() => result.current?.focus())
  return (
    <>
      <h3>{text.dueInChat}</h3>
      {selected === undefined ? (
        <p className="quiet">{text.chooseFirst}</p>
      ) : (
        due && <DueList due={due.chat} nothing={text.nothingInChat} {...{ now, isMoving }} onJump={jump} />
      )}
      <h3>{text.dueElsewhere}</h3>
      {due && <DueList due={due.due} nothing={text.nothingElsewhere} {...{ now, isMoving }} onJump={jump} namesPhone />}
      <Spans isMoving={isMoving} onMove={(target, byMs) => void move(target, byMs)} />
      <div ref={result} tabIndex={-1} className="result">
        <div role="status">
          {moving && <OnTheWay moving={moving} aheadMs={screen.time?.aheadMs ?? 0} />}
          {moved && <Outcome moved={moved} />}
        </div>
        {moved && moved.movedMs < moved.askedMs && (
          <Rest leftMs={moved.askedMs - moved.movedMs} onMove={(target, byMs) => void move(target, byMs)} />
        )}
        {fault && (
          <p className="fault" role="alert">
            {fault instanceof Unreachable ? words.noTwin : `${words.didNotWork} ${fault.message}`}
          </p>
        )}
      </div>
    </>
  )
}

function Clock({ now, aheadMs }: { now: Date; aheadMs: number }) {
  const text = useTimeWords()
  const language = usePhoneLanguage()
  return (
    <div>
      <p className="quiet">{text.now}</p>
      <p className="now">
        <time dateTime={now.toISOString()}>{formatOf(language, SECONDS).format(now)}</time>
      </p>
      <p className="quiet">
        <bdi className="as-typed">{REAL_CLOCK.timeZone}</bdi> ·{' '}
        {aheadMs > 0 ? text.ahead(spanOf(aheadMs, language)) : text.notAhead}
      </p>
    </div>
  )
}

type Listed = {
  due: readonly (Due | FirstDue)[]
  nothing: string
  now: Date
  isMoving: boolean
  namesPhone?: boolean
  onJump: (due: Due) => void
}

function DueList({ due, nothing, now, isMoving, namesPhone = false, onJump }: Listed) {
  if (due.length === 0) return <p className="quiet">{nothing}</p>
  return (
    <ul className="due">
      {due.map((each) => (
        <li key={each.id}>
          <DueItem due={each} {...{ now, isMoving, namesPhone }} onJump={() => onJump(each)} />
        </li>
      ))}
    </ul>
  )
}

type Item = { due: Due | FirstDue; now: Date; isMoving: boolean; namesPhone: boolean; onJump: () => void }

function DueItem({ due, now, isMoving, namesPhone, onJump }: Item) {
  const text = useTimeWords()
  const words = usePhoneWords()
  const language = usePhoneLanguage()
  const inMs = Date.parse(due.at) - now.getTime()
  const what = due.kind === 'status' ? text.status(statusOf(due.what, words, text.played)) : text.due[due.kind]
  const of = [namesPhone ? due.phone : null, due.kind === 'status' ? '' : due.what].filter(Boolean)
  const others = 'count' in due ? due.count - 1 : 0
  return (
    <>
      <div>
        <p>{what}</p>
        <p className="quiet">
          {of.map((each) => (
            <span key={each}>
              <bdi className="as-typed">{each}</bdi> ·{' '}
            </span>
          ))}
          <time dateTime={due.at}>{formatOf(language, MINUTES).format(new Date(due.at))}</time> ·{' '}
          {inMs > 0 ? text.in(spanOf(inMs, language)) : text.dueNow}
          {others > 0 && ` · ${text.others(others)}`}
        </p>
      </div>
      <button
        type="button"
        aria-label={text.jumpTo([what, ...of].join(', '))}
        aria-disabled={isMoving}
        onClick={() => isMoving || onJump()}
      >
        {text.jump}
      </button>
    </>
  )
}

const statusOf = (status: string, words: PhoneWords, played: string): string =>
  status === 'played' ? played : (Object.entries(words.ticks).find(([name]) => name === status)?.[1] ?? status)

function Spans({ isMoving, onMove }: { isMoving: boolean; onMove: (target: Target, byMs: number) => void }) {
  const text = useTimeWords()
  const [count, setCount] = useState('2')
  const [unit, setUnit] = useState<Unit>('h')
  const spans = [
    { label: text.quarter, by: '15m', ms: 15 * MINUTE_MS },
    { label: text.hour, by: '1h', ms: HOUR_MS },
    { label: text.day, by: '1d', ms: DAY_MS },
  ]
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (!isMoving) onMove({ by: `${Number(count)}${unit}` }, Number(count) * UNITS[unit])
  }
  return (
    <div role="group" aria-labelledby="move-by">
      <h3 id="move-by">{text.moveBy}</h3>
      <div className="spans">
        {spans.map(({ label, by, ms }) => (
          <button key={by} type="button" aria-disabled={isMoving} onClick={() => isMoving || onMove({ by }, ms)}>
            {label}
          </button>
        ))}
      </div>
      <form className="spans" onSubmit={submit}>
        <input
          type="number"
          aria-label={text.other}
          required
          min={1}
          max={(DAYS_MOST * DAY_MS) / UNITS[unit]}
          step={1}
          value={count}
          onChange={({ currentTarget }) => setCount(currentTarget.value)}
        />
        <select
          aria-label={text.unit}
          value={unit}
          onChange={({ currentTarget: { value } }) => {
            if (value in UNITS) setUnit(value as Unit)
          }}
        >
          {Object.entries(text.units).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
        <button type="submit" className="main" aria-disabled={isMoving}>
          {text.move}
        </button>
      </form>
    </div>
  )
}

function OnTheWay({ moving: { fromMs, byMs }, aheadMs }: { moving: Moving; aheadMs: number }) {
  const text = useTimeWords()
  const [isLong, setLong] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), LONG_MS)
    return () => clearTimeout(timer)
  }, [])
  if (!isLong) return null
  return (
    <>
      <p>{text.moving}</p>
      <progress aria-label={text.timeMachine} max={byMs} value={Math.min(byMs, Math.max(0, aheadMs - fromMs))} />
    </>
  )
}

const KINDS = [
  'statuses',
  'answers',
  'expiries',
  'windows',
  'reviews',
  'webhooks',
] as const satisfies (keyof Happened)[]

function Outcome({ moved: { askedMs, movedMs, happened } }: { moved: Moved }) {
  const text = useTimeWords()
  const language = usePhoneLanguage()
  if (askedMs === 0) return <p>{text.hasCome}</p>
  const all = KINDS.filter((kind) => happened[kind] > 0).map((kind) => text.happened[kind](happened[kind]))
  return (
    <>
      <p className="title">{text.moved(spanOf(movedMs, language))}</p>
      <p>
        {text.onTheWay} {all.length > 0 ? `${all.join(language === 'ar' ? '، ' : ', ')}.` : text.nothingHappened}
      </p>
      {movedMs < askedMs && <p>{text.stopped(spanOf(askedMs - movedMs, language))}</p>}
    </>
  )
}

function Rest({ leftMs, onMove }: { leftMs: number; onMove: (target: Target, byMs: number) => void }) {
  const text = useTimeWords()
  return (
    <button type="button" onClick={() => onMove({ by: `${Math.ceil(leftMs / 1_000)}s` }, leftMs)}>
      {text.goOn}
    </button>
  )
}

const MINUTES = { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' } as const
const SECONDS = { ...MINUTES, year: 'numeric', second: '2-digit' } as const

const formatOf = (language: Language, form: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat(language === 'ar' ? 'ar-u-nu-latn' : 'en-GB', {
    timeZone: REAL_CLOCK.timeZone,
    hourCycle: 'h23',
    ...form,
  })
