import { useEffect, useRef, useState } from 'react'
import type { Act, Pair, PhoneState } from './chats.ts'
import { Icon } from './icons.tsx'
import style from './phone.module.css'
import { usePhoneWords } from './words.ts'

/** What the customer does with the phone, beside the chat: turn it off, block the business, hide what was read. */
export function PhoneMenu({ state, pair, onAct }: { state: PhoneState; pair: Pair; onAct: (act: Act) => void }) {
  const words = usePhoneWords()
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
      label: state.online ? words.turnOff : words.turnOn,
      act: { do: 'online', phone, online: !state.online },
    },
    { label: isBlocked ? words.unblock : words.block, act: { do: 'block', ...pair, blocked: !isBlocked } },
    {
      label: state.readReceipts ? words.hideRead : words.showRead,
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
      <button
        ref={opener}
        type="button"
        className={style.barButton}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="more" />
        <span className={style.hidden}>{words.menu}</span>
      </button>
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
