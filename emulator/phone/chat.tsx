import {
  type PointerEvent as ReactPointerEvent,
  type ReactNode,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { ChatBubble, ChatPaper } from './bubble.tsx'
import type { BusinessEntry, Entry, Pair } from './chats.ts'
import { type PhoneClock, dayOf, timeOfDay, todayOf } from './clock.ts'
import { Composer } from './composer.tsx'
import { Icon } from './icons.tsx'
import { ListSheet } from './list-sheet.tsx'
import { PhoneMenu } from './phone-menu.tsx'
import style from './phone.module.css'
import { Unreachable } from './source.ts'
import { type BubbleAct, businessOf, daysOf, keyOf, lastUnread, phoneOf, shownOf } from './state.ts'
import { type LivePhone, useAct } from './use-screen.ts'
import { directionOf, usePhoneLanguage, usePhoneWords } from './words.ts'

/** Closer to the end than this, a reader is at the end, and stays there when something comes. */
const AT_END_PX = 80
const NOTE_SHOWN_MS = 4_000
/** A finger that moved so far along the text quotes the message. */
const SWIPE_PX = 56

/** What one customer sees of the chat with one business. */
export function ChatScreen({
  phone,
  clock,
  pair,
  wasChosen,
  onBack,
}: {
  phone: LivePhone
  clock: PhoneClock
  pair: Pair
  /** By somebody just now, who is led to it; an address leads nobody's focus away. */
  wasChosen: boolean
  onBack: () => void
}) {
  const words = usePhoneWords()
  const language = usePhoneLanguage()
  const { screen, source, tell } = phone
  const { fault, act } = useAct(phone)
  const [quoted, setQuoted] = useState<Entry>()
  const [list, setList] = useState<BusinessEntry>()
  const [note, setNote] = useNote()
  const frame = useRef<HTMLElement>(null)
  const title = useRef<HTMLHeadingElement>(null)
  const input = useRef<HTMLTextAreaElement>(null)

  const entries = screen.chats.get(keyOf(pair))?.entries ?? []
  const business = businessOf(screen, pair.number)
  const state = phoneOf(screen, pair.phone)
  const isBlocked = state.blocked.includes(pair.number)
  const mayAct = state.online && !isBlocked

  useLookedAt({ phone, pair, entries, looks: mayAct })
  useEffect(() => {
    if (wasChosen) title.current?.focus({ preventScroll: true })
  }, [wasChosen])
  const { told } = screen
  useEffect(() => {
    let over = false
    if (told > 0) {
      source.list({ phone: pair.phone, number: pair.number }).then(
        (older) => !over && tell({ kind: 'older', phone: pair.phone, number: pair.number, entries: older }),
        () => {}, // what the stream told is there; the rest is tried again with the next stream
      )
    }
    return () => {
      over = true
    }
  }, [source, tell, told, pair.phone, pair.number])

  const quote = (entry: Entry): void => {
    setQuoted(entry)
    input.current?.focus()
  }
  const perform = async (entry: Entry, does: BubbleAct): Promise<void> => {
    if (does.does === 'copy') setNote((await copy(does.code)) ? words.copied(does.code) : words.notCopied(does.code))
    else if (does.does === 'nothing') setNote(words.goesNowhere)
    else if (does.does === 'open_list') setList(entry.by === 'business' ? entry : undefined)
    else await act({ do: 'tap', ...pair, message: entry.id, button: does.button })
  }

  return (
    <section ref={frame} className={style.frame} aria-label={words.phoneOf(pair.phone)}>
      <header className={style.bar}>
        <button type="button" className={style.backButton} onClick={onBack}>
          <Icon name="back" />
          <span className={style.hidden}>{words.back}</span>
        </button>
        <span className={style.avatar} aria-hidden="true">
          <Icon name="shop" />
        </span>
        <div className={style.barText}>
          <h2 ref={title} tabIndex={-1} className={style.barTitle}>
            <bdi>{business.name}</bdi>
          </h2>
          <p className={style.barLine}>
            <bdi dir="ltr">{pair.phone}</bdi> · {state.online ? words.online : words.off}
          </p>
        </div>
        <PhoneMenu state={state} pair={pair} onAct={(does) => void act(does)} />
      </header>
      <Scrolled entries={entries} label={words.chatWith(business.name)}>
        <ChatPaper direction={directionOf(language)}>
          {entries.length === 0 && <p className={style.emptyChat}>{words.emptyChat}</p>}
          <Days
            {...{ entries, clock, mayAct }}
            onPerform={(entry, does) => void perform(entry, does)}
            onQuote={quote}
          />
        </ChatPaper>
      </Scrolled>
      {note !== '' && (
        <p className={style.note} role="status">
          {note}
        </p>
      )}
      {fault && (
        <p className={style.fault} role="alert">
          {fault instanceof Unreachable ? words.noTwin : `${words.didNotWork} ${fault.message}`}
        </p>
      )}
      {!state.readReceipts && mayAct && <p className={style.hint}>{words.readHidden}</p>}
      {mayAct ? (
        <Composer
          input={input}
          quoted={quoted}
          onUnquote={() => setQuoted(undefined)}
          onSend={async (text) => {
            const sent = await act({ do: 'text', ...pair, text, quote: quoted?.id })
            if (sent) setQuoted(undefined)
            return sent
          }}
        />
      ) : (
        <Banner
          text={state.online ? words.blockedBanner : words.offBanner}
          button={state.online ? words.unblock : words.turnOn}
          onAct={() =>
            void act(
              state.online
                ? { do: 'block', ...pair, blocked: false }
                : { do: 'online', phone: pair.phone, online: true },
            )
          }
        />
      )}
      {list?.list && (
        <ListSheet
          list={list.list}
          frame={frame}
          onClose={() => setList(undefined)}
          onChoose={(row) => {
            setList(undefined)
            void act({ do: 'choose', ...pair, message: list.id, row })
          }}
        />
      )}
    </section>
  )
}

/** Whoever has the chat open reads what comes, as on a phone that lies open on the desk. */
function useLookedAt({
  phone: { source, tell },
  pair: { phone, number },
  entries,
  looks,
}: {
  phone: LivePhone
  pair: Pair
  entries: readonly Entry[]
  looks: boolean
}): void {
  const unread = lastUnread(entries)
  const last = entries.at(-1)?.order
  const [isVisible, setVisible] = useState(document.visibilityState === 'visible')
  useEffect(() => {
    const follow = (): void => setVisible(document.visibilityState === 'visible')
    document.addEventListener('visibilitychange', follow)
    return () => document.removeEventListener('visibilitychange', follow)
  }, [])
  useEffect(() => {
    if (isVisible) tell({ kind: 'seen', phone, number })
  }, [isVisible, last, tell, phone, number])
  useEffect(() => {
    // A look that fails is made again with the next message: nobody asked for it, and nobody is told.
    if (isVisible && looks && unread !== undefined) source.act({ do: 'read', phone, number }).catch(() => {})
  }, [isVisible, looks, unread, source, phone, number])
}

/** Stays at the end while the reader is there. */
function Scrolled({ entries, label, children }: { entries: readonly Entry[]; label: string; children: ReactNode }) {
  const words = usePhoneWords()
  const box = useRef<HTMLDivElement>(null)
  const [isAtEnd, setAtEnd] = useState(true)
  const toEnd = (): void => {
    if (box.current) box.current.scrollTop = box.current.scrollHeight
  }
  useLayoutEffect(() => {
    if (isAtEnd) toEnd()
  }, [entries, isAtEnd])
  return (
    <div className={style.scrolledPane}>
      <div
        ref={box}
        className={style.scrolled}
        tabIndex={0}
        role="group"
        aria-label={label}
        onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) =>
          setAtEnd(scrollHeight - scrollTop - clientHeight < AT_END_PX)
        }
      >
        {children}
      </div>
      {!isAtEnd && (
        <button type="button" className={style.toEnd} onClick={toEnd}>
          <Icon name="down" />
          <span className={style.hidden}>{words.latest}</span>
        </button>
      )}
    </div>
  )
}

type Performing = {
  mayAct: boolean
  onPerform: (entry: Entry, act: BubbleAct) => void
  onQuote: (entry: Entry) => void
}

function Days({ entries, clock, ...performing }: { entries: readonly Entry[]; clock: PhoneClock } & Performing) {
  const words = usePhoneWords()
  const language = usePhoneLanguage()
  const today = todayOf(clock, language)
  return daysOf(entries, (at) => dayOf(new Date(at), clock, language)).map(({ day, entries: ofDay }, place) => (
    <section key={place} className={style.day} aria-label={day}>
      <p className={style.dayMark}>{day === today ? words.today : day}</p>
      <ol className={style.entries}>
        {ofDay.map((entry) => (
          <EntryItem key={entry.id} entry={entry} entries={entries} clock={clock} {...performing} />
        ))}
      </ol>
    </section>
  ))
}

function EntryItem({
  entry,
  entries,
  clock,
  mayAct,
  onPerform,
  onQuote,
}: { entry: Entry; entries: readonly Entry[]; clock: PhoneClock } & Performing) {
  const words = usePhoneWords()
  const language = usePhoneLanguage()
  const at = entry.at === null ? '' : timeOfDay(entry.at, clock, language)
  const { bubble, acts } = shownOf(entry, entries, at)
  const swipe = useSwipe(() => mayAct && onQuote(entry))
  const hasCome = entry.by === 'customer' || entry.arrivedAt !== null
  const tap = (place: number): void => {
    const does = acts[place]
    if (does) onPerform(entry, does)
  }
  return (
    <li className={style.entry} data-side={bubble.side} data-waiting={!hasCome} {...swipe}>
      <ChatBubble bubble={bubble} {...(mayAct && hasCome && { onTap: tap })} />
      {!hasCome && <p className={style.fate}>{entry.lost ? words.lost[entry.lost] : words.waiting}</p>}
      {mayAct && hasCome && (
        <button type="button" className={style.replyButton} onClick={() => onQuote(entry)}>
          <Icon name="reply" />
          <span className={style.hidden}>{words.reply}</span>
        </button>
      )}
    </li>
  )
}

/** Of a finger alone: a mouse selects text. */
function useSwipe(onSwipe: () => void) {
  const start = useRef<{ x: number; y: number }>(undefined)
  return {
    onPointerDown: ({ pointerType, clientX: x, clientY: y }: ReactPointerEvent) => {
      start.current = pointerType === 'touch' ? { x, y } : undefined
    },
    onPointerUp: ({ clientX, clientY }: ReactPointerEvent) => {
      if (!start.current) return
      const along = Math.abs(clientX - start.current.x)
      if (along > SWIPE_PX && along > 2 * Math.abs(clientY - start.current.y)) onSwipe()
      start.current = undefined
    },
  }
}

function Banner({ text, button, onAct }: { text: string; button: string; onAct: () => void }) {
  return (
    <div className={style.banner}>
      <p>{text}</p>
      <button type="button" className={style.bannerButton} onClick={onAct}>
        {button}
      </button>
    </div>
  )
}

const copy = (text: string): Promise<boolean> =>
  navigator.clipboard.writeText(text).then(
    () => true,
    () => false,
  )

function useNote(): [string, (note: string) => void] {
  const [note, setNote] = useState('')
  useEffect(() => {
    if (note === '') return
    const timer = setTimeout(() => setNote(''), NOTE_SHOWN_MS)
    return () => clearTimeout(timer)
  }, [note])
  return [note, setNote]
}
