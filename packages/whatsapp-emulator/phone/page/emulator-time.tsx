import { useEffect, useMemo, useRef, useState } from 'react'
import type { Pair, Ticks, Due, DueAnswer, EmulatorTime, FirstDue, ClockMove } from '../../src/wire/chats.ts'
import { type PhoneClock, REAL_CLOCK } from '../clock.ts'
import { ask, errorText } from '../source.ts'
import { type Screen, keyOf } from '../state.ts'
import { type DueRow, type Outcome, TimeMachine } from '../time-machine.tsx'
import { type CodedText, asWritten, coded } from '../../../../locales/text.ts'
import { usePhoneTexts } from '../texts.ts'

/** Several simultaneous changes trigger one fetch. */
const ASK_AFTER_MS = 150
/** The longest pause between fetches while changes never stop. */
const ASK_EVERY_MS = 1_000
/** Longer than the emulator's own limit of a move. */
const MOVE_TIMEOUT_MS = 60_000
const MAX_TIMER_MS = 2 ** 31 - 1

/** What the emulator's clock shows, extrapolated from the last answer. */
export function useEmulatorClock(time: EmulatorTime | undefined): PhoneClock & { now: () => Date } {
  return useMemo(() => {
    const aheadMs = time === undefined ? 0 : Date.parse(time.now) - Date.now()
    return { ...REAL_CLOCK, now: () => new Date(Date.now() + aheadMs) }
  }, [time])
}

/** What is due, refetched with every change and when the first is due. */
function useDue(pair: Pair | undefined, screen: Screen): DueAnswer | undefined {
  const [answered, setAnswered] = useState<{ key: string; due: DueAnswer }>()
  const [passed, setPassed] = useState(0)
  const askedAtMs = useRef(Number.NEGATIVE_INFINITY)
  const key = pair ? keyOf(pair) : ''
  const { phone = '', number = '' } = pair ?? {}
  useEffect(() => {
    if (screen.snapshots === 0) return
    const askNow = (): void => {
      askedAtMs.current = performance.now()
      const query = phone === '' ? '' : `?${new URLSearchParams({ phone, number }).toString()}`
      ask<DueAnswer>(`/control/clock${query}`).then(
        (due) => setAnswered({ key, due }),
        () => {}, // the chat list shows a lost connection, and the next change tries this again
      )
    }
    const isOverdue = performance.now() - askedAtMs.current > ASK_EVERY_MS
    const timer = setTimeout(askNow, isOverdue ? 0 : ASK_AFTER_MS)
    return () => clearTimeout(timer)
  }, [screen, key, phone, number, passed])

  const due = answered?.key === key ? answered.due : undefined
  useEffect(() => {
    const nextMs = Math.min(...[...(due?.chat ?? []), ...(due?.due ?? [])].map(({ inMs }) => inMs))
    if (!Number.isFinite(nextMs)) return
    const timer = setTimeout(() => setPassed((times) => times + 1), Math.min(nextMs + ASK_EVERY_MS, MAX_TIMER_MS))
    return () => clearTimeout(timer)
  }, [due])
  return due
}

async function move(target: { by: string } | { to: string }): Promise<Outcome> {
  const { happened: counts, ...moved } = await ask<ClockMove>('/control/clock', target, MOVE_TIMEOUT_MS)
  const kinds = KINDS.filter((kind) => counts[kind] > 0)
  return { ...moved, happened: kinds.map((kind) => coded(`page_emulator.happened_${kind}`, { count: counts[kind] })) }
}

type ClockProps = { screen: Screen; selected: Pair | undefined; clock: PhoneClock & { now: () => Date } }

/** The emulator's own time, what it does next, and moves of its clock. */
export function EmulatorTimeMachine({ screen, selected, clock }: ClockProps) {
  const { t, textOf } = usePhoneTexts()
  const due = useDue(selected, screen)
  if (screen.time === undefined) return null
  const { movedAt, aheadMs } = screen.time
  const rowOf = (each: Due | FirstDue, phone: string | null): DueRow => {
    const { kind } = each
    const isStatus = kind === 'status'
    const event = isStatus
      ? coded('page_emulator.status', { status: statusOf(each.what) })
      : coded(`page_emulator.due_${kind}`)
    const what = textOf(event)
    const about = [phone ?? '', isStatus ? '' : each.what].filter((one) => one !== '')
    const jump = { name: [event, ...about.map(asWritten)], inMs: each.inMs, run: () => move({ to: each.at }) }
    return { id: each.id, what, about, at: each.at, others: 'count' in each ? each.count - 1 : 0, jump }
  }
  const lists = [
    {
      title: t('page_emulator.due_in_chat'),
      rows: selected === undefined ? [] : due?.chat.map((each) => rowOf(each, null)),
      nothing: selected === undefined ? t('page_emulator.choose_first') : t('page_emulator.nothing_in_chat'),
    },
    {
      title: t('page_emulator.due_elsewhere'),
      rows: due?.due.map((each) => rowOf(each, each.phone)),
      nothing: t('page_emulator.nothing_elsewhere'),
    },
  ]
  const source = {
    clockName: t('page_emulator.now'),
    now: clock.now,
    timeZone: clock.timeZone,
    aheadMs,
    lists: movedAt === null ? lists : [],
    move: movedAt === null ? (byMs: number) => move({ by: `${Math.ceil(byMs / 1_000)}s` }) : undefined,
    instead: movedAt !== null && (
      <p>
        {t('page_emulator.moved_elsewhere')} <a href={movedAt}>{t('page_emulator.to_time_machine')}</a>
      </p>
    ),
    stopped: (span: string) => t('page_emulator.stopped', { span }),
    showError: (error: unknown) => (
      <p className="fault" role="alert">
        {errorText(error, t)}
      </p>
    ),
  }
  return (
    <div className="box">
      <TimeMachine source={source} title="shown" />
    </div>
  )
}

const TICKS = ['accepted', 'sent', 'delivered', 'read', 'failed'] as const satisfies readonly Ticks[]

function statusOf(status: string): CodedText {
  if (status === 'played') return coded('page_emulator.played')
  const tick = TICKS.find((each) => each === status)
  return tick ? coded(`page_chats.ticks_${tick}`) : asWritten(status)
}

const KINDS = ['statuses', 'answers', 'expiries', 'windows', 'reviews', 'webhooks'] as const
