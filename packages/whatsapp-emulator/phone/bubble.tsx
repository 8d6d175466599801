import type { ReactNode } from 'react'
import style from './bubble.module.css'
import { type Piece, parseFormatting } from './formatting.ts'
import { Icon, type IconName, TicksIcon } from './icons.tsx'
import type { Ticks } from '../src/wire/chats.ts'
import { usePhoneTexts } from './texts.ts'

/** One message as a phone shows it. `side` is the sender: the phone is the customer's. */
export type Bubble = {
  side: 'business' | 'customer'
  header?: string | undefined
  body: string
  footer?: string | undefined
  /** `onTap` gets an index of this list. */
  buttons?: readonly BubbleButton[]
  /** Shown as given: "14:05". */
  at?: string
  ticks?: Ticks
  quoted?: string | undefined
  /** The direction of the text. By default the first letters of each part decide. */
  direction?: 'ltr' | 'rtl'
}
/** A tapped button is greyed, and cannot be tapped again. */
export type BubbleButton = {
  label: string
  kind: Extract<IconName, 'reply' | 'copy_code' | 'url' | 'list'>
  tapped?: boolean
}

/** Without `onTap` the buttons are only shown. */
export function ChatBubble({ bubble, onTap }: { bubble: Bubble; onTap?: (button: number) => void }) {
  const { t } = usePhoneTexts()
  const { side, footer, buttons = [], at, ticks, quoted } = bubble
  const dir = bubble.direction ?? 'auto'
  return (
    <div className={style.bubble} data-side={side}>
      <div className={style.text}>
        {quoted !== undefined && (
          <blockquote className={style.quoted}>
            <span className={style.hidden}>{t('page_chats.quoted')}</span>
            <span dir={dir}>
              <Pieces pieces={parseFormatting(quoted)} />
            </span>
          </blockquote>
        )}
        {(['header', 'body'] as const).map(
          (part) =>
            bubble[part] !== undefined && (
              <p key={part} className={style[part]} dir={dir}>
                <Pieces pieces={parseFormatting(bubble[part])} />
              </p>
            ),
        )}
        {footer !== undefined && (
          <p className={style.footer} dir={dir}>
            {footer}
          </p>
        )}
        {(at !== undefined || ticks !== undefined) && (
          <p className={style.meta} data-ticks={ticks}>
            {at !== undefined && <bdi>{at}</bdi>}
            {ticks !== undefined && (
              <>
                <TicksIcon ticks={ticks} />
                <span className={style.hidden}>{t(`page_chats.ticks_${ticks}`)}</span>
              </>
            )}
          </p>
        )}
      </div>
      {buttons.map((button, index) => (
        <ButtonRow key={index} button={button} {...(onTap && { onTap: () => onTap(index) })} />
      ))}
    </div>
  )
}

function ButtonRow({ button, onTap }: { button: BubbleButton; onTap?: () => void }) {
  const inner = (
    <>
      <Icon name={button.kind} className={style.buttonIcon} />
      <span dir="auto">{button.label}</span>
    </>
  )
  if (!onTap) return <div className={style.button}>{inner}</div>
  return (
    <button type="button" className={style.button} disabled={button.tapped === true} onClick={onTap}>
      {inner}
    </button>
  )
}

const TAGS = { bold: 'strong', italic: 'em', strike: 's' } as const

function Pieces({ pieces }: { pieces: readonly Piece[] }): ReactNode {
  return pieces.map((piece, index) => {
    if (piece.kind === 'text') return <Unbroken key={index} text={piece.text} />
    if (piece.kind === 'mono') return <code key={index}>{piece.text}</code>
    if (piece.kind === 'link') {
      return (
        <span key={index} className={style.link} dir="ltr">
          {piece.text}
        </span>
      )
    }
    const Tag = TAGS[piece.kind]
    return <Tag key={index}>{<Pieces pieces={piece.pieces} />}</Tag>
  })
}

/** An order number or a time range: A-1001, 12:00-18:00. */
const HYPHENATED = /([\p{L}\p{N}:.]{1,20}[-–][\p{N}:.]{1,20})/u

/** The text, whose order numbers and time ranges a line does not break. */
export const Unbroken = ({ text }: { text: string }): ReactNode =>
  text.split(HYPHENATED).map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      <span key={index} style={{ whiteSpace: 'nowrap' }}>
        {part}
      </span>
    ),
  )

/** The wallpaper around bubbles. The page's direction decides the sides, whatever the language of the texts. */
export function ChatPaper({ children }: { children: ReactNode }) {
  return (
    <div className={style.paper}>
      <div className={style.column}>{children}</div>
    </div>
  )
}
