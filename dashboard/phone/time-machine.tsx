import { Alert, Button, Group, NativeSelect, NumberInput, Stack, Text, Title, VisuallyHidden } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { Pair } from '../../emulator/phone/chats.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, spanOf } from '../../emulator/phone/span.ts'
import { type Answers, api, queries } from '../api.ts'
import { Failed } from '../ui/failed.tsx'
import { ShareProgress } from '../ui/progress.tsx'
import { Time } from '../ui/time.tsx'
import { isOfWorkspace } from '../ui/live.ts'
import { useMay, useWorkspace } from '../ui/workspace.ts'
import { useLanguage, useWords } from '../words.ts'
import style from './phone.module.css'
import type { PhoneState } from './phone.tsx'
import { phoneWords } from './words.ts'

type Due = Answers['phone']['due']['customer'][number]
type Advanced = Answers['phone']['advance']
type Target = { byMs: number } | ({ confirmationId: string; check: Due['check']; timer: Due['timer'] } & Pair)

const UNITS = { minutes: MINUTE_MS, hours: HOUR_MS, days: DAY_MS } as const
type Unit = keyof typeof UNITS
const DAYS_MOST = 90
/** How often the page looks how far the clock has come. */
const LOOK_EVERY_MS = 400
/** What is due comes nearer by itself. */
const NEARER_EVERY_MS = 15_000

export function TimeMachine({ state, customer }: { state: PhoneState; customer: Pair | undefined }) {
  const text = useWords(phoneWords)
  const may = useMay()
  const { language } = useLanguage()
  const { workspaceId } = useWorkspace()
  const due = useDue(workspaceId, customer)
  const { jump, jumping, advanced, error } = useJump(workspaceId, state)
  const [next] = due?.next ?? []
  return (
    <section aria-labelledby="time-machine">
      <VisuallyHidden component="h2" id="time-machine">
        {text.clock}
      </VisuallyHidden>
      <Stack gap="sm">
        <Clock state={state} />
        <Stack gap={4}>
          <Title order={3} size="h6">
            {text.dueOfCustomer}
          </Title>
          {customer === undefined && <Text size="sm">{text.chooseFirst}</Text>}
          {customer !== undefined && due?.customer.length === 0 && <Text size="sm">{text.nothingDue}</Text>}
          <ul className={style.due}>
            {due?.customer.map((each) => (
              <li key={`${each.confirmationId}/${each.check}/${each.timer}`}>
                <DueItem
                  due={each}
                  onJump={
                    may.change && customer ? () => jump({ ...customer, ...targetOf(each) }, each.inMs) : undefined
                  }
                  isJumping={jumping !== undefined}
                />
              </li>
            ))}
          </ul>
        </Stack>
        <Text size="sm" c="dimmed">
          {next ? (
            <>
              {text.nextOfAll}: {text.kinds[next.kind]} · <Time at={next.at} /> ({text.in} {spanOf(next.inMs, language)}
              )
            </>
          ) : (
            due && text.nothingNext
          )}
        </Text>
        {may.change ? (
          <Spans isJumping={jumping !== undefined} onJump={(byMs) => jump({ byMs }, byMs)} />
        ) : (
          <Text size="sm" c="dimmed">
            {text.onlyAdmins}
          </Text>
        )}
        {jumping && <Jumping {...jumping} offsetMs={state.offsetMs} />}
        <div role="status">
          {!jumping && advanced && <Happened advanced={advanced} onGoOn={(byMs) => jump({ byMs }, byMs)} />}
        </div>
        {error !== null && <Failed error={error} />}
      </Stack>
    </section>
  )
}

const targetOf = ({ confirmationId, check, timer }: Due) => ({ confirmationId, check, timer })

/** Asked again when something changes; in between only the time that is left grows less. */
function useDue(workspaceId: string, customer: Pair | undefined): Answers['phone']['due'] | undefined {
  const { data, dataUpdatedAt } = useQuery(api.phone.due.queryOptions({ workspaceId, customer: customer ?? null }))
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), NEARER_EVERY_MS)
    return () => clearInterval(timer)
  }, [])
  const passedMs = Math.max(0, now - dataUpdatedAt)
  const nearer = <Due extends { inMs: number }>(due: Due): Due => ({ ...due, inMs: Math.max(0, due.inMs - passedMs) })
  return data && { ...data, customer: data.customer.map(nearer), next: data.next.map(nearer) }
}

/** Moves the clock, and looks meanwhile how far it has come. */
function useJump(workspaceId: string, { offsetMs }: PhoneState) {
  const [jumping, setJumping] = useState<{ fromMs: number; byMs: number }>()
  const moving = useMutation(
    api.phone.advance.mutationOptions({
      onSettled: () => {
        setJumping(undefined)
        void queries.invalidateQueries({ predicate: ({ queryKey }) => isOfWorkspace(queryKey, workspaceId) })
        void queries.invalidateQueries({ queryKey: api.session.current.queryKey() })
      },
    }),
  )
  useQuery({ ...api.phone.state.queryOptions({ workspaceId }), refetchInterval: jumping ? LOOK_EVERY_MS : false })
  const jump = (to: Target, byMs: number): void => {
    setJumping({ fromMs: offsetMs, byMs })
    moving.mutate({ workspaceId, to })
  }
  return { jump, jumping, advanced: moving.data, error: moving.error }
}

/** Goes on between two looks at the server. */
function Clock({ state }: { state: PhoneState }) {
  const text = useWords(phoneWords)
  const { language } = useLanguage()
  const [ms, setMs] = useState(0)
  useEffect(() => {
    const since = performance.now()
    setMs(0)
    const timer = setInterval(() => setMs(performance.now() - since), 1_000)
    return () => clearInterval(timer)
  }, [state.now])
  const now = new Date(new Date(state.now).getTime() + ms)
  return (
    <div>
      <Text size="sm" c="dimmed">
        {text.now}
      </Text>
      <Text fw={600} className={style.clock}>
        <Time at={now} />
      </Text>
      <Text size="xs" c="dimmed">
        {state.offsetMs > 0 ? `${text.ahead} ${spanOf(state.offsetMs, language)}` : text.notAhead}
      </Text>
    </div>
  )
}

function DueItem({ due, onJump, isJumping }: { due: Due; onJump: (() => void) | undefined; isJumping: boolean }) {
  const text = useWords(phoneWords)
  const { language } = useLanguage()
  const what = text.due[due.check][due.timer]
  return (
    <Group justify="space-between" wrap="nowrap" gap="xs">
      <div>
        <Text size="sm">{what}</Text>
        <Text size="xs" c="dimmed">
          <bdi>{due.reference}</bdi> · <Time at={due.at} /> ·{' '}
          {due.inMs > 0 ? `${text.in} ${spanOf(due.inMs, language)}` : text.dueNow}
        </Text>
      </div>
      {onJump && (
        <Button
          size="compact-sm"
          variant="default"
          disabled={isJumping}
          aria-label={text.jumpTo(what, due.reference)}
          onClick={onJump}
          style={{ flexShrink: 0 }}
        >
          {text.jump}
        </Button>
      )}
    </Group>
  )
}

function Spans({ isJumping, onJump }: { isJumping: boolean; onJump: (byMs: number) => void }) {
  const text = useWords(phoneWords)
  const [count, setCount] = useState<number | string>(2)
  const [unit, setUnit] = useState<Unit>('hours')
  const byMs = Number(count) * UNITS[unit]
  const isPossible = Number.isInteger(count) && byMs > 0 && byMs <= DAYS_MOST * DAY_MS
  const spans = [
    { label: text.quarter, ms: 15 * MINUTE_MS },
    { label: text.hour, ms: HOUR_MS },
    { label: text.day, ms: DAY_MS },
  ]
  return (
    <Stack gap="xs" role="group" aria-labelledby="jump-by">
      <Title order={3} size="h6" id="jump-by">
        {text.jumpBy}
      </Title>
      <Group gap="xs">
        {spans.map(({ label, ms }) => (
          <Button key={ms} size="compact-sm" variant="default" disabled={isJumping} onClick={() => onJump(ms)}>
            {label}
          </Button>
        ))}
      </Group>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (isPossible && !isJumping) onJump(byMs)
        }}
      >
        <Group gap="xs" wrap="nowrap">
          <NumberInput
            size="xs"
            w="5rem"
            aria-label={text.other}
            value={count}
            onChange={setCount}
            min={1}
            max={(DAYS_MOST * DAY_MS) / UNITS[unit]}
            allowDecimal={false}
            clampBehavior="strict"
          />
          <NativeSelect
            size="xs"
            aria-label={text.unit}
            value={unit}
            onChange={({ currentTarget }) => {
              if (currentTarget.value in UNITS) setUnit(currentTarget.value as Unit)
            }}
            data={(Object.keys(UNITS) as Unit[]).map((value) => ({ value, label: text.units[value] }))}
          />
          <Button type="submit" size="xs" disabled={!isPossible || isJumping}>
            {text.move}
          </Button>
        </Group>
      </form>
    </Stack>
  )
}

function Jumping({ fromMs, byMs, offsetMs }: { fromMs: number; byMs: number; offsetMs: number }) {
  const text = useWords(phoneWords)
  const { language } = useLanguage()
  const moved = Math.min(byMs, Math.max(0, offsetMs - fromMs))
  return (
    <ShareProgress
      label={text.moving}
      amount={`${spanOf(moved, language)} ${text.moved} ${spanOf(byMs, language)}`}
      done={moved}
      all={byMs}
    />
  )
}

const FIRED = ['reminders', 'deadlines', 'followUpExpiries', 'messages', 'events', 'webhookAttempts'] as const

function Happened({ advanced, onGoOn }: { advanced: Advanced; onGoOn: (byMs: number) => void }) {
  const text = useWords(phoneWords)
  const { language } = useLanguage()
  const { advancedBy, askedMs, fired } = advanced
  const left = askedMs - advancedBy
  const happened = FIRED.filter((kind) => fired[kind] > 0).map((kind) => text.fired[kind](fired[kind]))
  return (
    <Alert color={left > 0 ? 'yellow' : 'teal'} title={`${text.movedTitle} ${spanOf(advancedBy, language)}`}>
      <Text size="sm">
        {text.onTheWay} {happened.length > 0 ? happened.join(language === 'ar' ? '، ' : ', ') : text.nothingHappened}
      </Text>
      {left > 0 && (
        <Stack gap="xs" mt="xs">
          <Text size="sm">
            {text.stopped} {spanOf(left, language)}
          </Text>
          <Button size="compact-sm" variant="default" w="fit-content" onClick={() => onGoOn(left)}>
            {text.goOn}
          </Button>
        </Stack>
      )}
    </Alert>
  )
}
