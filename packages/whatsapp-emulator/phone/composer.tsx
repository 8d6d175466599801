import { type KeyboardEvent, type RefObject, useState } from 'react'
import type { Entry } from '../src/wire/chats.ts'
import { IconButton } from './icons.tsx'
import style from './phone.module.css'
import { textOf } from './state.ts'
import { usePhoneTexts } from './texts.ts'

/** WhatsApp's own. */
const MAX_TEXT_CHARACTERS = 4_096

export function Composer({
  input,
  quoted,
  onUnquote,
  onSend,
}: {
  input: RefObject<HTMLTextAreaElement | null>
  quoted: Entry | undefined
  onUnquote: () => void
  /** Whether it was sent; otherwise the text comes back. */
  onSend: (text: string) => Promise<boolean>
}) {
  const { t } = usePhoneTexts()
  const [text, setText] = useState('')
  const send = async (): Promise<void> => {
    if (text.trim() === '') return
    setText('')
    if (!(await onSend(text))) setText((typed) => (typed === '' ? text : `${text}\n${typed}`))
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && quoted) onUnquote()
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    void send()
  }
  return (
    <form
      className={style.composer}
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      {quoted && (
        <div className={style.quoting}>
          <p>
            <span className={style.quotingTitle}>{t('page_chats.replying_to')}</span>
            <span className={style.quotingText} dir="auto">
              {textOf(quoted)}
            </span>
          </p>
          <IconButton icon="close" label={t('page_chats.no_reply')} className={style.iconButton} onClick={onUnquote} />
        </div>
      )}
      <div className={style.writing}>
        <textarea
          ref={input}
          className={style.input}
          rows={1}
          dir="auto"
          value={text}
          maxLength={MAX_TEXT_CHARACTERS}
          placeholder={t('page_chats.type')}
          aria-label={t('page_chats.type')}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        <IconButton
          icon="send"
          label={t('page_chats.send')}
          type="submit"
          className={style.sendButton}
          disabled={text.trim() === ''}
        />
      </div>
    </form>
  )
}
