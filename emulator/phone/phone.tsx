import { useCallback, useEffect, useRef, useState } from 'react'
import { ChatScreen } from './chat.tsx'
import type { Pair } from './chats.ts'
import { ChatList } from './chat-list.tsx'
import { type PhoneClock, REAL_CLOCK } from './clock.ts'
import { NewCustomer } from './new-customer.tsx'
import style from './phone.module.css'
import { keyOf, textOf } from './state.ts'
import type { LivePhone } from './use-screen.ts'
import { type Language, PHONE_WORDS, PhoneLanguage, directionOf, usePhoneWords } from './words.ts'

/**
 * Every customer's phone: the list of them, and beside it what the chosen one shows. On a narrow screen one at a time.
 * `selected` is the caller's, who may keep it in an address.
 */
export function Phone({
  phone,
  language,
  clock = REAL_CLOCK,
  selected,
  onSelect,
}: {
  phone: LivePhone
  language: Language
  clock?: PhoneClock
  selected: Pair | undefined
  onSelect: (pair: Pair | undefined) => void
}) {
  const words = PHONE_WORDS[language]
  const { screen, tell } = phone
  const [adding, setAdding] = useState(false)
  const [wasChosen, setChosen] = useState(false)
  const list = useRef<HTMLDivElement>(null)

  const select = useCallback(
    (pair: Pair) => {
      setChosen(true)
      tell({ kind: 'seen', ...pair })
      onSelect(pair)
    },
    [tell, onSelect],
  )
  const back = (): void => {
    const key = selected && keyOf(selected)
    onSelect(undefined)
    requestAnimationFrame(() => list.current?.querySelector<HTMLElement>(`[data-chat="${key}"]`)?.focus())
  }

  return (
    <PhoneLanguage value={language}>
      <div className={style.phones} dir={directionOf(language)} data-open={selected !== undefined}>
        <div className={style.panes}>
          <div className={style.listPane} ref={list}>
            <ChatList phone={phone} clock={clock} selected={selected} onSelect={select} onNew={() => setAdding(true)} />
          </div>
          <div className={style.chatPane}>
            {selected ? (
              <ChatScreen
                key={keyOf(selected)}
                phone={phone}
                clock={clock}
                pair={selected}
                wasChosen={wasChosen}
                onBack={back}
              />
            ) : (
              <p className={style.choose}>{screen.chats.size > 0 ? words.chooseChat : words.noChats}</p>
            )}
          </div>
        </div>
        <Announcer phone={phone} />
        {adding && (
          <NewCustomer
            businesses={screen.businesses}
            onClose={() => setAdding(false)}
            onOpen={(pair) => {
              setAdding(false)
              tell({ kind: 'begun', ...pair })
              select(pair)
            }}
          />
        )}
      </div>
    </PhoneLanguage>
  )
}

/** Says what comes to a phone, once: statuses and the customer's own words are not news. */
function Announcer({ phone: { screen } }: { phone: LivePhone }) {
  const words = usePhoneWords()
  const [text, setText] = useState('')
  const last = useRef<number>(undefined)
  const latest = [...screen.chats.values()]
    .map(({ entries }) => entries.findLast((entry) => entry.by === 'business' && entry.arrivedAt !== null))
    .reduce((one, other) => ((other?.order ?? 0) > (one?.order ?? 0) ? other : one), undefined)
  const order = latest?.order ?? 0
  useEffect(() => {
    if (screen.told === 0) return
    if (latest && last.current !== undefined && order > last.current) setText(words.newMessage(textOf(latest)))
    last.current = order
  }, [screen.told, order, latest, words])
  return (
    <p className={style.hidden} aria-live="polite">
      {text}
    </p>
  )
}
