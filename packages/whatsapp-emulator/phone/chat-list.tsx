import { useState } from 'react'
import type { Pair } from '../src/wire/chats.ts'
import { groupsOfPhone, phoneText } from '../src/wire/phone-groups.ts'
import { dayOf, shortDay, timeOfDay, todayOf } from './clock.ts'
import { Icon, TicksIcon } from './icons.tsx'
import style from './phone.module.css'
import { type ListedChat, businessOf, keyOf, searchChats, phoneOf } from './state.ts'
import { usePhoneTexts } from './texts.ts'
import { usePhone } from './use-screen.ts'

type ChatListProps = { selected: Pair | undefined; onSelect: (pair: Pair) => void; onNew: () => void }

export function ChatList({ selected, onSelect, onNew }: ChatListProps) {
  const { t } = usePhoneTexts()
  const { screen, connection } = usePhone()
  const [search, setSearch] = useState('')
  const chats = searchChats(screen, search)
  const chosen = selected && keyOf(selected)
  return (
    <section className={style.list} aria-label={t('page_chats.phones')} aria-busy={connection === 'connecting'}>
      <div className={style.listHead}>
        <input
          type="search"
          className={style.search}
          placeholder={t('page_chats.search')}
          aria-label={t('page_chats.search')}
          value={search}
          maxLength={100}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
        <button type="button" className={style.newButton} onClick={onNew}>
          <Icon name="plus" />
          {t('page_chats.new_customer')}
        </button>
      </div>
      {connection === 'lost' && (
        <p className={style.notice} role="status">
          {t('page_chats.lost_connection')}
        </p>
      )}
      {chats.length > 0 ? (
        <ul className={style.chats}>
          {chats.map((chat) => (
            <li key={keyOf(chat)}>
              <ChatRow chat={chat} isChosen={keyOf(chat) === chosen} onSelect={() => onSelect(chat)} />
            </li>
          ))}
        </ul>
      ) : (
        <p className={style.noChats}>
          {screen.snapshots === 0
            ? t('page_chats.connecting')
            : search === ''
              ? t('page_chats.no_chats_short')
              : t('page_chats.nothing_found')}
        </p>
      )}
    </section>
  )
}

type ChatRowProps = { chat: ListedChat; isChosen: boolean; onSelect: () => void }

function ChatRow({ chat, isChosen, onSelect }: ChatRowProps) {
  const { t, language } = usePhoneTexts()
  const { screen, clock } = usePhone()
  const { entry } = chat
  const business = businessOf(screen, chat.number)
  // The business is named if the phone has chats with several, to tell the rows apart.
  const hasSeveral = [...screen.chats.values()].some(
    ({ phone, number }) => phone === chat.phone && number !== chat.number,
  )
  const isNamesake = screen.businesses.some(({ number, name }) => name === business.name && number !== business.number)
  const { online, blocked } = phoneOf(screen, chat.phone)
  const unread = isChosen ? 0 : chat.unread
  const today = todayOf(clock, language)
  const at = entry?.at
  const when = at && (dayOf(new Date(at), clock, language) === today ? timeOfDay : shortDay)(at, clock, language)
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
          <PhoneNumber of={chat.phone} />
          {when && <span className={style.when}>{when}</span>}
        </span>
        {hasSeveral && (
          <span className={style.rowBusiness}>
            <bdi>{business.name}</bdi>
            {isNamesake && (
              <>
                {' · '}
                <bdi dir="ltr">{phoneText(business.display)}</bdi>
              </>
            )}
          </span>
        )}
        <span className={style.rowBottom}>
          {entry?.by === 'business' && (
            <span className={style.rowTicks} data-ticks={entry.ticks}>
              <TicksIcon ticks={entry.ticks} />
              <span className={style.hidden}>{t(`page_chats.ticks_${entry.ticks}`)}. </span>
            </span>
          )}
          {entry?.by === 'customer' && <span className={style.hidden}>{t('page_chats.you')}</span>}
          <span className={style.line} dir="auto">
            {chat.line || t('page_chats.nothing_yet')}
          </span>
          {!online && <span className={style.tag}>{t('page_chats.is_off')}</span>}
          {blocked.includes(chat.number) && <span className={style.tag}>{t('page_chats.is_blocking')}</span>}
          {unread > 0 && (
            <span className={style.badge}>
              <span aria-hidden="true">{unread}</span>
              <span className={style.hidden}>{t('page_chats.unread', { count: unread })}</span>
            </span>
          )}
        </span>
      </span>
    </button>
  )
}

/** A number in groups of digits. */
export const PhoneNumber = ({ of }: { of: string }) => (
  <bdi className={`${style.number} ${style.groups}`} dir="ltr">
    {groupsOfPhone(of).map((group, index) => (
      <span key={index}>{group}</span>
    ))}
  </bdi>
)
