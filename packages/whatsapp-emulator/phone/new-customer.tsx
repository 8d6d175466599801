import { useId, useLayoutEffect, useRef, useState } from 'react'
import type { Pair } from '../src/wire/chats.ts'
import { IconButton } from './icons.tsx'
import { phoneText } from '../src/wire/phone-groups.ts'
import { PhoneNumber } from './chat-list.tsx'
import style from './phone.module.css'
import { Select } from './select.tsx'
import { errorText } from './source.ts'
import { phoneTyped } from './state.ts'
import { usePhoneTexts } from './texts.ts'
import { usePhone } from './use-screen.ts'
import { CUSTOMERS, FAILURES } from '../src/messages/presets.ts'

export function NewCustomer({ onClose, onOpen }: { onClose: () => void; onOpen: (pair: Pair) => void }) {
  const { t } = usePhoneTexts()
  const { screen, source } = usePhone()
  const { businesses } = screen
  const dialog = useRef<HTMLDialogElement>(null)
  const input = useRef<HTMLInputElement>(null)
  const [typed, setTyped] = useState('+')
  const [chosen, setChosen] = useState<string>()
  const [wrong, setWrong] = useState<string>()
  const id = useId()
  useLayoutEffect(() => {
    const shown = dialog.current
    shown?.showModal()
    input.current?.focus() // `autoFocus` would come too early, while the dialog is closed
    return () => shown?.close()
  }, [])
  const number = chosen ?? businesses[0]?.number
  const open = (phone: string): void => {
    if (number !== undefined) onOpen({ phone, number })
  }
  const openTyped = async (): Promise<void> => {
    const phone = phoneTyped(typed)
    if (phone === undefined) return setWrong(t('page_chats.no_phone_number'))
    try {
      const read = source.normalize ? await source.normalize(phone) : { phone }
      if ('fault' in read) setWrong(read.fault)
      else open(read.phone)
    } catch (error) {
      setWrong(errorText(error, t))
    }
  }
  return (
    <dialog ref={dialog} className={style.dialog} aria-labelledby={`${id}-title`} onCancel={onClose}>
      <div className={style.sheetHead}>
        <h2 id={`${id}-title`} className={style.sheetTitle}>
          {t('page_chats.new_customer')}
        </h2>
        <IconButton icon="close" label={t('page_chats.close')} className={style.iconButton} onClick={onClose} />
      </div>
      <p className={style.about}>{t('page_chats.new_customer_about')}</p>
      <form
        className={style.form}
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          void openTyped()
        }}
      >
        <label className={style.field}>
          <span>{t('page_chats.phone_number')}</span>
          <input
            ref={input}
            className={style.fieldInput}
            type="tel"
            dir="ltr"
            maxLength={30}
            value={typed}
            aria-invalid={wrong !== undefined}
            aria-describedby={`${id}-hint`}
            onChange={(event) => {
              setTyped(event.currentTarget.value.replace(/^\+[\s\p{Bidi_Control}+]*\+/u, '+')) // the field begins with one
              setWrong(undefined)
            }}
          />
        </label>
        <p id={`${id}-hint`} className={wrong ? style.wrong : style.about} role={wrong ? 'alert' : undefined}>
          {wrong ?? t('page_chats.phone_number_hint')}
        </p>
        {businesses.length > 1 && (
          <label className={style.field}>
            <span>{t('page_chats.business')}</span>
            <Select
              className={style.fieldInput}
              value={number}
              onChange={(event) => setChosen(event.currentTarget.value)}
            >
              {businesses.map((business) => (
                <option key={business.number} value={business.number}>
                  {business.name} · {phoneText(business.display)}
                </option>
              ))}
            </Select>
          </label>
        )}
        <button type="submit" className={style.primary}>
          {t('page_chats.open_phone')}
        </button>
      </form>
      <h3 className={style.suggestionsTitle}>{t('page_chats.customers_title')}</h3>
      <p className={style.about}>{t('page_chats.customers_about')}</p>
      <Suggestions
        rows={CUSTOMERS.map(({ ending }) => ({ ending, label: t(`page_chats.customers_${ending}`) }))}
        onPick={open}
      />
      <details className={style.more}>
        <summary>{t('page_chats.failures_title')}</summary>
        <Suggestions
          rows={FAILURES.map(({ ending }) => ({ ending, label: t(`page_chats.failures_${ending}`) }))}
          onPick={open}
        />
      </details>
    </dialog>
  )
}

/** A Spanish mobile number with this ending. */
const numberEnding = (ending: string): string => `+3460011${ending}`

type SuggestionsProps = { rows: readonly { label: string; ending: string }[]; onPick: (phone: string) => void }

function Suggestions({ rows, onPick }: SuggestionsProps) {
  return (
    <ul className={style.suggestions}>
      {rows.map(({ label, ending }) => (
        <li key={ending}>
          <button type="button" className={style.suggestion} onClick={() => onPick(numberEnding(ending))}>
            <span>{label}</span>
            <PhoneNumber of={numberEnding(ending)} />
          </button>
        </li>
      ))}
    </ul>
  )
}
