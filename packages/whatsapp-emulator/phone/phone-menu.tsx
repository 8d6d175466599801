import { useEffect, useRef, useState } from 'react'
import type { Act, Pair, PhoneState } from '../src/wire/chats.ts'
import { IconButton } from './icons.tsx'
import style from './phone.module.css'
import { usePhoneTexts } from './texts.ts'

/** Actions outside the chat: turn the phone off, block the business, hide read marks. */
export function PhoneMenu({ state, pair, onAct }: { state: PhoneState; pair: Pair; onAct: (act: Act) => void }) {
  const { t } = usePhoneTexts()
  const [isOpen, setOpen] = useState(false)
  const box = useRef<HTMLDivElement>(null)
  const opener = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (!isOpen) return
    const leave = (event: PointerEvent): void => {
      if (!box.current?.contains(event.target as Node)) setOpen(false)
    }
    document.addEventListener('pointerdown', leave)
    return () => document.removeEventListener('pointerdown', leave)
  }, [isOpen])

  const { phone } = pair
  const isBlocked = state.blocked.includes(pair.number)
  const choices: { label: string; act: Act }[] = [
    {
      label: state.online ? t('page_chats.turn_off') : t('page_chats.turn_on'),
      act: { do: 'online', phone, online: !state.online },
    },
    {
      label: isBlocked ? t('page_chats.unblock') : t('page_chats.block'),
      act: { do: 'block', ...pair, blocked: !isBlocked },
    },
    {
      label: state.readReceipts ? t('page_chats.hide_read') : t('page_chats.show_read'),
      act: { do: 'receipts', phone, readReceipts: !state.readReceipts },
    },
  ]
  const close = (): void => {
    setOpen(false)
    opener.current?.focus()
  }
  return (
    <div
      className={style.menu}
      ref={box}
      onKeyDown={(event) => event.key === 'Escape' && isOpen && close()}
      onBlur={({ relatedTarget }) => relatedTarget && !box.current?.contains(relatedTarget) && setOpen(false)}
    >
      <IconButton
        icon="more"
        label={t('page_chats.menu')}
        ref={opener}
        className={style.barButton}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      />
      {isOpen && (
        <ul className={style.menuList}>
          {choices.map(({ label, act }) => (
            <li key={act.do}>
              <button
                type="button"
                className={style.menuItem}
                onClick={() => {
                  onAct(act)
                  close()
                }}
              >
                {label}
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
