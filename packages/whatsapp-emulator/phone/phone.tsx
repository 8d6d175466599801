import { useEffect, useMemo, useRef, useState } from 'react'
import { ChatScreen } from './chat.tsx'
import type { Pair } from '../src/wire/chats.ts'
import { ChatList } from './chat-list.tsx'
import { type PhoneClock, REAL_CLOCK } from './clock.ts'
import { NewCustomer } from './new-customer.tsx'
import style from './phone.module.css'
import { keyOf, textOf } from './state.ts'
import { type LivePhone, PhoneContext, usePhone } from './use-screen.ts'
import { directionOf } from '../../../locales/text.ts'
import { usePhoneTexts } from './texts.ts'

/**
 * Every customer's phone: the list of them, and next to it what the chosen one shows. On a narrow screen one at a time.
 * The caller owns `selected`, and may keep it in an address.
 */
export function Phone({
  phone,
  clock = REAL_CLOCK,
  selected,
  onSelect,
}: {
  phone: LivePhone
  clock?: PhoneClock
  selected: Pair | undefined
  onSelect: (pair: Pair | undefined) => void
}) {
  const { t, language } = usePhoneTexts()
  const { screen, dispatch } = phone
  const [adding, setAdding] = useState(false)
  const [wasChosen, setChosen] = useState(false)
  const list = useRef<HTMLDivElement>(null)
  const context = useMemo(() => ({ ...phone, clock }), [phone, clock])

  const select = (pair: Pair): void => {
    setChosen(true)
    dispatch({ kind: 'seen', ...pair })
    onSelect(pair)
  }
  const back = (): void => {
    const key = selected && keyOf(selected)
    onSelect(undefined)
    requestAnimationFrame(() => list.current?.querySelector<HTMLElement>(`[data-chat="${key}"]`)?.focus())
  }

  return (
    <PhoneContext value={context}>
      <div className={style.phones} dir={directionOf(language)} data-open={selected !== undefined}>
        <div className={style.panes}>
          <div className={style.listPane} ref={list}>
            <ChatList selected={selected} onSelect={select} onNew={() => setAdding(true)} />
          </div>
          <div className={style.chatPane}>
            {selected ? (
              <ChatScreen key={keyOf(selected)} pair={selected} wasChosen={wasChosen} onBack={back} />
            ) : (
              <p className={style.choose}>
                {screen.chats.size > 0 ? t('page_chats.choose_chat') : screen.snapshots > 0 && t('page_chats.no_chats')}
              </p>
            )}
          </div>
        </div>
        <Announcer />
        {adding && (
          <NewCustomer
            onClose={() => setAdding(false)}
            onOpen={(pair) => {
              setAdding(false)
              dispatch({ kind: 'begun', ...pair })
              select(pair)
            }}
          />
        )}
      </div>
    </PhoneContext>
  )
}

/** The phone of one customer, without the list of the others. */
export function OnePhone({ phone, clock = REAL_CLOCK, pair }: { phone: LivePhone; clock?: PhoneClock; pair: Pair }) {
  const { language } = usePhoneTexts()
  const context = useMemo(() => ({ ...phone, clock }), [phone, clock])
  return (
    <PhoneContext value={context}>
      <div className={style.phones} dir={directionOf(language)}>
        <div className={style.onePane}>
          <ChatScreen key={keyOf(pair)} pair={pair} wasChosen={false} />
        </div>
        <Announcer />
      </div>
    </PhoneContext>
  )
}

/** Announces each message that arrives, once; not statuses or the customer's own messages. */
function Announcer() {
  const { t } = usePhoneTexts()
  const { screen } = usePhone()
  const [text, setText] = useState('')
  const last = useRef<number>(undefined)
  const latest = [...screen.chats.values()]
    .map(({ entries }) => entries.findLast((entry) => entry.by === 'business' && entry.arrivedAt !== null))
    .reduce((one, other) => ((other?.order ?? 0) > (one?.order ?? 0) ? other : one), undefined)
  const order = latest?.order ?? 0
  useEffect(() => {
    if (screen.snapshots === 0) return
    if (latest && last.current !== undefined && order > last.current)
      setText(t('page_chats.new_message', { message: textOf(latest) }))
    last.current = order
  }, [screen.snapshots, order, latest, t])
  return (
    <p className={style.hidden} aria-live="polite">
      {text}
    </p>
  )
}
