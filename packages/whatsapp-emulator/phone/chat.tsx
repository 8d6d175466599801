import {
  type PointerEvent,
  type ReactNode,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import { ChatBubble, ChatPaper } from './bubble.tsx'
import type { BusinessEntry, Entry, Pair } from '../src/wire/chats.ts'
import { dayOf, timeOfDay, todayOf } from './clock.ts'
import { copyText } from './copy-text.ts'
import { Composer } from './composer.tsx'
import { Icon, IconButton } from './icons.tsx'
import { ListSheet } from './list-sheet.tsx'
import { PhoneMenu } from './phone-menu.tsx'
import { PhoneNumber } from './chat-list.tsx'
import style from './phone.module.css'
import { errorText } from './source.ts'
import { type BubbleAct, businessOf, daysOf, keyOf, lastUnread, phoneOf, shownOf } from './state.ts'
import { useAct, usePhone } from './use-screen.ts'
import { usePhoneTexts } from './texts.ts'

/** A reader who is closer to the end than this stays at the end when a message arrives. */
const AT_END_PX = 80
const NOTE_SHOWN_MS = 4_000
/** A finger that moved so far along the text quotes the message. */
const SWIPE_PX = 56

/**
 * `wasChosen`: a person has just chosen the chat, so the focus moves here. Opening an address moves no focus. `onBack`: leads to
 * the list on a narrow screen, where there is one.
 */
type ChatScreenProps = { pair: Pair; wasChosen: boolean; onBack?: () => void }

/** What one customer sees of the chat with one business. */
export function ChatScreen({ pair, wasChosen, onBack }: ChatScreenProps) {
  const { t } = usePhoneTexts()
  const { screen, source, dispatch } = usePhone()
  const { error, act } = useAct()
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

  useReadMarks(pair, entries, { mayAct })
  useEffect(() => {
    if (wasChosen) title.current?.focus({ preventScroll: true })
  }, [wasChosen])
  const { snapshots } = screen
  useEffect(() => {
    let over = false
    if (snapshots > 0) {
      source.list({ phone: pair.phone, number: pair.number }).then(
        (older) => !over && dispatch({ kind: 'older', phone: pair.phone, number: pair.number, entries: older }),
        () => {}, // the entries of the stream are there; the next stream tries this again
      )
    }
    return () => {
      over = true
    }
  }, [source, dispatch, snapshots, pair.phone, pair.number])

  const quote = (entry: Entry): void => {
    setQuoted(entry)
    input.current?.focus()
  }
  const perform = async (entry: Entry, does: BubbleAct): Promise<void> => {
    if (does.does === 'copy') {
      const isCopied = await copyText(does.code)
      setNote(t(isCopied ? 'page_chats.copied' : 'page_chats.not_copied', { value: does.code }))
    } else if (does.does === 'nothing') setNote(t('page_chats.goes_nowhere'))
    else if (does.does === 'open_list') setList(entry.by === 'business' ? entry : undefined)
    else await act({ do: 'tap', ...pair, message: entry.id, button: does.button })
  }

  return (
    <div className={style.device}>
      <p className={style.owner} aria-hidden="true">
        <PhoneNumber of={pair.phone} />
      </p>
      <section ref={frame} className={style.frame} aria-label={t('page_chats.phone_of', { phone: pair.phone })}>
        <header className={style.bar}>
          {onBack && (
            <IconButton icon="back" label={t('page_chats.back')} className={style.backButton} onClick={onBack} />
          )}
          <span className={style.avatar} aria-hidden="true">
            <Icon name="shop" />
          </span>
          <div className={style.barText}>
            <h2 ref={title} tabIndex={-1} className={style.barTitle}>
              <bdi>{screen.snapshots > 0 && business.name}</bdi>
            </h2>
            {!state.online && <p className={style.barLine}>{t('page_chats.off')}</p>}
          </div>
          <PhoneMenu state={state} pair={pair} onAct={(does) => void act(does)} />
        </header>
        <Scrolled entries={entries} label={t('page_chats.chat_with', { name: business.name })}>
          <ChatPaper>
            {entries.length === 0 && <p className={style.emptyChat}>{t('page_chats.empty_chat')}</p>}
            <Days {...{ entries, mayAct }} onPerform={(entry, does) => void perform(entry, does)} onQuote={quote} />
          </ChatPaper>
        </Scrolled>
        {note !== '' && (
          <p className={style.note} role="status">
            {note}
          </p>
        )}
        {error !== undefined && (
          <p className={style.fault} role="alert">
            {errorText(error, t)}
          </p>
        )}
        {!state.readReceipts && mayAct && <p className={style.hint}>{t('page_chats.read_hidden')}</p>}
        {mayAct ? (
          <Composer
            input={input}
            quoted={quoted}
            onUnquote={() => setQuoted(undefined)}
            onSend={async (text) => {
              setQuoted(undefined)
              const sent = await act({ do: 'text', ...pair, text, quote: quoted?.id })
              if (!sent) setQuoted((chosen) => chosen ?? quoted)
              return sent
            }}
          />
        ) : (
          <div className={style.banner}>
            <p>{state.online ? t('page_chats.blocked_banner') : t('page_chats.off_banner')}</p>
            <button
              type="button"
              className={style.bannerButton}
              onClick={() =>
                void act(
                  state.online
                    ? { do: 'block', ...pair, blocked: false }
                    : { do: 'online', phone: pair.phone, online: true },
                )
              }
            >
              {state.online ? t('page_chats.unblock') : t('page_chats.turn_on')}
            </button>
          </div>
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
    </div>
  )
}

function onVisibilityChange(listener: () => void): () => void {
  document.addEventListener('visibilitychange', listener)
  return () => document.removeEventListener('visibilitychange', listener)
}

/** An open chat reads what arrives, as on a phone that lies open on the desk. */
function useReadMarks({ phone, number }: Pair, entries: readonly Entry[], { mayAct }: { mayAct: boolean }): void {
  const { source, dispatch } = usePhone()
  const unread = lastUnread(entries)
  const last = entries.at(-1)?.order
  const isVisible = useSyncExternalStore(onVisibilityChange, () => document.visibilityState === 'visible')
  useEffect(() => {
    if (isVisible) dispatch({ kind: 'seen', phone, number })
  }, [isVisible, last, dispatch, phone, number])
  useEffect(() => {
    // Read marks are retried with the next message, so a failure shows no error.
    if (isVisible && mayAct && unread !== undefined) source.act({ do: 'read', phone, number }).catch(() => {})
  }, [isVisible, mayAct, unread, source, phone, number])
}

/** Stays at the end while the reader is there, also when a keyboard on the screen makes it smaller. */
function Scrolled({ entries, label, children }: { entries: readonly Entry[]; label: string; children: ReactNode }) {
  const { t } = usePhoneTexts()
  const box = useRef<HTMLDivElement>(null)
  const [isAtEnd, setAtEnd] = useState(true)
  const toEnd = (): void => {
    if (box.current) box.current.scrollTop = box.current.scrollHeight
  }
  useLayoutEffect(() => {
    if (isAtEnd) toEnd()
  }, [entries, isAtEnd])
  useEffect(() => {
    const sizes = new ResizeObserver(() => isAtEnd && toEnd())
    if (box.current) sizes.observe(box.current)
    return () => sizes.disconnect()
  }, [isAtEnd])
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
      {!isAtEnd && <IconButton icon="down" label={t('page_chats.latest')} className={style.toEnd} onClick={toEnd} />}
    </div>
  )
}

type Performing = {
  mayAct: boolean
  onPerform: (entry: Entry, act: BubbleAct) => void
  onQuote: (entry: Entry) => void
}

function Days({ entries, ...performing }: { entries: readonly Entry[] } & Performing) {
  const { t, language } = usePhoneTexts()
  const { clock } = usePhone()
  const today = todayOf(clock, language)
  return daysOf(entries, (at) => dayOf(at, clock, language)).map(({ day, entries: ofDay }, index) => (
    <section key={index} className={style.day} aria-label={day}>
      <p className={style.dayMark}>{day === today ? t('page_chats.today') : day}</p>
      <ol className={style.entries}>
        {ofDay.map((entry) => (
          <EntryItem key={entry.id} entry={entry} entries={entries} {...performing} />
        ))}
      </ol>
    </section>
  ))
}

type EntryProps = { entry: Entry; entries: readonly Entry[] } & Performing

function EntryItem({ entry, entries, mayAct, onPerform, onQuote }: EntryProps) {
  const { t, language } = usePhoneTexts()
  const { clock } = usePhone()
  const at = entry.at === null ? '' : timeOfDay(entry.at, clock, language)
  const { bubble, acts } = shownOf(entry, entries, at)
  const swipe = useSwipe(() => mayAct && onQuote(entry))
  const hasCome = entry.by === 'customer' || entry.arrivedAt !== null
  const tap = (index: number): void => {
    const does = acts[index]
    if (does) onPerform(entry, does)
  }
  return (
    <li className={style.entry} data-side={bubble.side} data-waiting={!hasCome} {...swipe}>
      <ChatBubble bubble={bubble} {...(mayAct && hasCome && { onTap: tap })} />
      {!hasCome && (
        <p className={style.fate}>{entry.lost ? t(`page_chats.lost_${entry.lost}`) : t('page_chats.waiting')}</p>
      )}
      {mayAct && hasCome && (
        <IconButton
          icon="reply"
          label={t('page_chats.reply')}
          className={style.replyButton}
          onClick={() => onQuote(entry)}
        />
      )}
    </li>
  )
}

/** Only for a finger: a mouse selects text. */
function useSwipe(onSwipe: () => void) {
  const start = useRef<{ x: number; y: number }>(undefined)
  return {
    onPointerDown: ({ pointerType, clientX: x, clientY: y }: PointerEvent) => {
      start.current = pointerType === 'touch' ? { x, y } : undefined
    },
    onPointerUp: ({ clientX, clientY }: PointerEvent) => {
      if (!start.current) return
      const along = Math.abs(clientX - start.current.x)
      if (along > SWIPE_PX && along > 2 * Math.abs(clientY - start.current.y)) onSwipe()
      start.current = undefined
    },
  }
}

function useNote(): [string, (note: string) => void] {
  const [note, setNote] = useState('')
  useEffect(() => {
    if (note === '') return
    const timer = setTimeout(() => setNote(''), NOTE_SHOWN_MS)
    return () => clearTimeout(timer)
  }, [note])
  return [note, setNote]
}
