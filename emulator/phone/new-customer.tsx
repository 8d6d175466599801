import { useEffect, useId, useRef, useState } from 'react'
import type { Business, Pair } from './chats.ts'
import { Icon } from './icons.tsx'
import style from './phone.module.css'
import { phoneTyped } from './state.ts'
import { CUSTOMERS, FATES, numberEnding } from './suggestions.ts'
import { usePhoneWords } from './words.ts'

/** The phone of a customer who has got nothing yet. */
export function NewCustomer({
  businesses,
  onClose,
  onOpen,
}: {
  businesses: readonly Business[]
  onClose: () => void
  onOpen: (pair: Pair) => void
}) {
  const words = usePhoneWords()
  const dialog = useRef<HTMLDialogElement>(null)
  const [typed, setTyped] = useState('+')
  const [chosen, setChosen] = useState<string>()
  const [isWrong, setWrong] = useState(false)
  const id = useId()
  useEffect(() => {
    const shown = dialog.current
    shown?.showModal()
    return () => shown?.close()
  }, [])
  const number = chosen ?? businesses[0]?.number
  const open = (phone: string | undefined): void => {
    if (phone === undefined || number === undefined) setWrong(true)
    else onOpen({ phone, number })
  }
  return (
    <dialog
      ref={dialog}
      className={style.dialog}
      aria-labelledby={`${id}-title`}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
    >
      <div className={style.sheetHead}>
        <h2 id={`${id}-title`} className={style.sheetTitle}>
          {words.newCustomer}
        </h2>
        <button type="button" className={style.iconButton} onClick={onClose}>
          <Icon name="close" />
          <span className={style.hidden}>{words.close}</span>
        </button>
      </div>
      <p className={style.about}>{words.newCustomerAbout}</p>
      <form
        className={style.form}
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          open(phoneTyped(typed))
        }}
      >
        <label className={style.field}>
          {words.phoneNumber}
          <input
            className={style.fieldInput}
            type="tel"
            dir="ltr"
            autoFocus
            maxLength={30}
            value={typed}
            aria-invalid={isWrong}
            aria-describedby={`${id}-hint`}
            onChange={(event) => {
              setTyped(event.currentTarget.value)
              setWrong(false)
            }}
          />
        </label>
        <p id={`${id}-hint`} className={isWrong ? style.wrong : style.about} role={isWrong ? 'alert' : undefined}>
          {isWrong ? words.noPhoneNumber : words.phoneNumberHint}
        </p>
        {businesses.length > 1 && (
          <label className={style.field}>
            {words.business}
            <select
              className={style.fieldInput}
              value={number}
              onChange={(event) => setChosen(event.currentTarget.value)}
            >
              {businesses.map((business) => (
                <option key={business.number} value={business.number}>
                  {business.name} · {business.display}
                </option>
              ))}
            </select>
          </label>
        )}
        <button type="submit" className={style.primary}>
          {words.openPhone}
        </button>
      </form>
      <h3 className={style.suggestionsTitle}>{words.customersTitle}</h3>
      <p className={style.about}>{words.customersAbout}</p>
      <Suggestions rows={CUSTOMERS} says={words.customers} onPick={open} />
      <details className={style.more}>
        <summary>{words.fatesTitle}</summary>
        <Suggestions rows={FATES} says={words.fates} onPick={open} />
      </details>
    </dialog>
  )
}

function Suggestions<Name extends string>({
  rows,
  says,
  onPick,
}: {
  rows: readonly { name: Name; ending: string }[]
  says: Readonly<Record<Name, string>>
  onPick: (phone: string) => void
}) {
  return (
    <ul className={style.suggestions}>
      {rows.map(({ name, ending }) => (
        <li key={name}>
          <button type="button" className={style.suggestion} onClick={() => onPick(numberEnding(ending))}>
            <span>{says[name]}</span>
            <bdi className={style.number} dir="ltr">
              {numberEnding(ending)}
            </bdi>
          </button>
        </li>
      ))}
    </ul>
  )
}
