import { type KeyboardEvent, type RefObject, useState } from 'react'
import type { Entry } from './chats.ts'
import { Icon } from './icons.tsx'
import style from './phone.module.css'
import { textOf } from './state.ts'
import { usePhoneWords } from './words.ts'

/** WhatsApp's own. */
const TEXT_CHARACTERS_MOST = 4_096

export function Composer({
  input,
  quoted,
  onUnquote,
  onSend,
}: {
  input: RefObject<HTMLTextAreaElement | null>
  quoted: Entry | undefined
  onUnquote: () => void
  /** Whether it was sent; else the words stay. */
  onSend: (text: string) => Promise<boolean>
}) {
  const words = usePhoneWords()
  const [text, setText] = useState('')
  const send = async (): Promise<void> => {
    if (text.trim() === '') return
    setText('')
    if (!(await onSend(text))) setText(text)
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
            <span className={style.quotingTitle}>{words.replyingTo}</span>
            <span className={style.quotingText} dir="auto">
              {textOf(quoted)}
            </span>
          </p>
          <button type="button" className={style.iconButton} onClick={onUnquote}>
            <Icon name="close" />
            <span className={style.hidden}>{words.noReply}</span>
          </button>
        </div>
      )}
      <div className={style.writing}>
        <textarea
          ref={input}
          className={style.input}
          rows={1}
          dir="auto"
          value={text}
          maxLength={TEXT_CHARACTERS_MOST}
          placeholder={words.type}
          aria-label={words.type}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        <button type="submit" className={style.sendButton} disabled={text.trim() === ''}>
          <Icon name="send" />
          <span className={style.hidden}>{words.send}</span>
        </button>
      </div>
    </form>
  )
}
