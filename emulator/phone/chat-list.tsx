import { useState } from 'react'
import type { Pair } from './chats.ts'
import { type PhoneClock, dayOf, timeOfDay, todayOf } from './clock.ts'
import { Icon, TicksIcon } from './icons.tsx'
import style from './phone.module.css'
import { type Listed, businessOf, keyOf, listed, phoneOf } from './state.ts'
import type { LivePhone } from './use-screen.ts'
import { usePhoneLanguage, usePhoneWords } from './words.ts'

export function ChatList({
  phone,
  clock,
  selected,
  onSelect,
  onNew,
}: {
  phone: LivePhone
  clock: PhoneClock
  selected: Pair | undefined
  onSelect: (pair: Pair) => void
  onNew: () => void
}) {
  const words = usePhoneWords()
  const { screen, connection } = phone
  const [search, setSearch] = useState('')
  const chats = listed(screen, search)
  const chosen = selected && keyOf(selected)
  return (
    <section className={style.list} aria-label={words.phones}>
      <div className={style.listHead}>
        <input
          type="search"
          className={style.search}
          placeholder={words.search}
          aria-label={words.search}
          value={search}
          maxLength={100}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
        <button type="button" className={style.newButton} onClick={onNew}>
          <Icon name="plus" />
          {words.newCustomer}
        </button>
      </div>
      {connection === 'lost' && (
        <p className={style.notice} role="status">
          {words.lostConnection}
        </p>
      )}
      {chats.length > 0 ? (
        <ul className={style.chats}>
          {chats.map((chat) => (
            <li key={keyOf(chat)}>
              <ChatRow
                chat={chat}
                clock={clock}
                phone={phone}
                isChosen={keyOf(chat) === chosen}
                onSelect={() => onSelect(chat)}
              />
            </li>
          ))}
        </ul>
      ) : (
        <p className={style.noChats}>
          {screen.told === 0 ? words.connecting : search === '' ? words.noChatsShort : words.nothingFound}
        </p>
      )}
    </section>
  )
}

function ChatRow({
  chat,
  clock,
  phone: { screen },
  isChosen,
  onSelect,
}: {
  chat: Listed
  clock: PhoneClock
  phone: LivePhone
  isChosen: boolean
  onSelect: () => void
}) {
  const words = usePhoneWords()
  const language = usePhoneLanguage()
  const business = businessOf(screen, chat.number)
  const isNamesake = screen.businesses.some(({ number, name }) => name === business.name && number !== business.number)
  const { online, blocked } = phoneOf(screen, chat.phone)
  const unread = isChosen ? 0 : chat.unread
  const today = todayOf(clock, language)
  const when =
    chat.at && (dayOf(new Date(chat.at), clock, language) === today ? timeOfDay : shortDay)(chat.at, clock, language)
  return (
    <button
      type="button"
      className={style.chatRow}
      data-chat={keyOf(chat)}
      aria-current={isChosen ? 'true' : undefined}
      onClick={onSelect}
    >
      <span className={style.avatar} aria-hidden="true">
        <Icon name="person" />
      </span>
      <span className={style.rowText}>
        <span className={style.rowTop}>
          <bdi className={style.number} dir="ltr">
            {chat.phone}
          </bdi>
          {when && <span className={style.when}>{when}</span>}
        </span>
        {screen.businesses.length > 1 && (
          <span className={style.rowBusiness}>
            <bdi>{business.name}</bdi>
            {isNamesake && (
              <>
                {' · '}
                <bdi dir="ltr">{business.display}</bdi>
              </>
            )}
          </span>
        )}
        <span className={style.rowBottom}>
          {chat.entry?.by === 'business' && (
            <span className={style.rowTicks} data-ticks={chat.entry.ticks}>
              <TicksIcon ticks={chat.entry.ticks} />
              <span className={style.hidden}>{words.ticks[chat.entry.ticks]}. </span>
            </span>
          )}
          {chat.by === 'customer' && <span className={style.hidden}>{words.you}</span>}
          <span className={style.line} dir="auto">
            {chat.line || words.nothingYet}
          </span>
          {!online && <span className={style.tag}>{words.isOff}</span>}
          {blocked.includes(chat.number) && <span className={style.tag}>{words.isBlocking}</span>}
          {unread > 0 && (
            <span className={style.badge}>
              <span aria-hidden="true">{unread}</span>
              <span className={style.hidden}>{words.unread(unread)}</span>
            </span>
          )}
        </span>
      </span>
    </button>
  )
}

const shortDay = (at: string, clock: PhoneClock, language: 'en' | 'ar'): string =>
  new Intl.DateTimeFormat(language === 'ar' ? 'ar-u-nu-latn' : 'en-GB', {
    timeZone: clock.timeZone,
    day: 'numeric',
    month: 'short',
  }).format(clock.at(new Date(at)))
