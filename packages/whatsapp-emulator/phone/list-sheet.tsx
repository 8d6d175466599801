import { type RefObject, useLayoutEffect, useRef, useState } from 'react'
import type { BusinessEntry } from '../src/wire/chats.ts'
import { IconButton } from './icons.tsx'
import style from './phone.module.css'
import { usePhoneTexts } from './texts.ts'

type ListSheetProps = {
  list: NonNullable<BusinessEntry['list']>
  /** The phone. */
  frame: RefObject<HTMLElement | null>
  onClose: () => void
  onChoose: (row: number) => void
}

/** A list message's rows, from the bottom of the phone. The browser's own dialog keeps the focus inside and gives it back. */
export function ListSheet({ list, frame, onClose, onChoose }: ListSheetProps) {
  const { t } = usePhoneTexts()
  const dialog = useRef<HTMLDialogElement>(null)
  const [row, setRow] = useState<number>()
  useLayoutEffect(() => {
    const sheet = dialog.current
    const around = frame.current?.getBoundingClientRect()
    if (!sheet || !around) return
    sheet.showModal()
    // A modal dialog is above the page and not inside the phone, so it is placed over the phone.
    const bottom = Math.max(0, document.documentElement.clientHeight - around.bottom)
    Object.assign(sheet.style, { left: `${around.left}px`, width: `${around.width}px`, bottom: `${bottom}px` })
    return () => sheet.close()
  }, [frame])
  return (
    <dialog
      ref={dialog}
      className={style.sheet}
      aria-label={list.button}
      onCancel={onClose}
      onClick={({ target, currentTarget }) => target === currentTarget && onClose()}
    >
      <form
        className={style.sheetForm}
        onSubmit={(event) => {
          event.preventDefault()
          if (row !== undefined) onChoose(row)
        }}
      >
        <div className={style.sheetHead}>
          <IconButton icon="close" label={t('page_chats.close')} className={style.iconButton} onClick={onClose} />
          <h3 className={style.sheetTitle}>
            <bdi>{list.button}</bdi>
          </h3>
        </div>
        <div className={style.rows}>
          {list.rows.map((each, index) => (
            <div key={each.id}>
              {each.section !== '' && each.section !== list.rows[index - 1]?.section && (
                <p className={style.rowSection} dir="auto">
                  {each.section}
                </p>
              )}
              <label className={style.row}>
                <span className={style.rowWords}>
                  <span dir="auto">{each.title}</span>
                  {each.description !== undefined && (
                    <span className={style.rowDescription} dir="auto">
                      {each.description}
                    </span>
                  )}
                </span>
                <input type="radio" name="row" checked={row === index} onChange={() => setRow(index)} />
              </label>
            </div>
          ))}
        </div>
        <button type="submit" className={style.primary} disabled={row === undefined}>
          {t('page_chats.send_choice')}
        </button>
      </form>
    </dialog>
  )
}
