import type { ReactNode } from 'react'
import style from './bubble.module.css'
import { type Piece, formatted } from './formatting.ts'
import { type ButtonKind, ButtonIcon, TicksIcon } from './icons.tsx'
import type { Ticks } from './chats.ts'
import { usePhoneWords } from './words.ts'

/** One message as a phone shows it. `side` says whose it is: the phone is the customer's. */
export type Bubble = {
  side: 'business' | 'customer'
  header?: string
  body: string
  footer?: string
  /** The numbers that `onTap` gets are places in this list. */
  buttons?: readonly BubbleButton[]
  /** Shown as given: "14:05". */
  at?: string
  /** What the sender knows of it. */
  ticks?: Ticks
  quoted?: string
  /** Of the text; without it, every part goes by its own first letters. */
  direction?: 'ltr' | 'rtl'
}
/** A tapped button is greyed, and cannot be tapped again. */
export type BubbleButton = { label: string; kind: ButtonKind; tapped?: boolean }

/** Without `onTap` the buttons are only shown. */
export function ChatBubble({ bubble, onTap }: { bubble: Bubble; onTap?: (button: number) => void }) {
  const words = usePhoneWords()
  const { side, header, body, footer, buttons = [], at, ticks, quoted } = bubble
  const dir = bubble.direction ?? 'auto'
  return (
    <div className={style.bubble} data-side={side}>
      <div className={style.text}>
        {quoted !== undefined && (
          <blockquote className={style.quoted}>
            <span className={style.hidden}>{words.quoted}</span>
            <span dir={dir}>
              <Pieces pieces={formatted(quoted)} />
            </span>
          </blockquote>
        )}
        {header !== undefined && (
          <p className={style.header} dir={dir}>
            <Pieces pieces={formatted(header)} />
          </p>
        )}
        <p className={style.body} dir={dir}>
          <Pieces pieces={formatted(body)} />
        </p>
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
                <span className={style.hidden}>{words.ticks[ticks]}</span>
              </>
            )}
          </p>
        )}
      </div>
      {buttons.map((button, place) => (
        <ButtonRow key={place} button={button} {...(onTap && { onTap: () => onTap(place) })} />
      ))}
    </div>
  )
}

function ButtonRow({ button, onTap }: { button: BubbleButton; onTap?: () => void }) {
  const inner = (
    <>
      <ButtonIcon kind={button.kind} />
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

function Pieces({ pieces }: { pieces: readonly Piece[] }): ReactNode {
  return pieces.map((piece, place) => {
    switch (piece.kind) {
      case 'text':
        return piece.text
      case 'bold':
        return <strong key={place}>{<Pieces pieces={piece.pieces} />}</strong>
      case 'italic':
        return <em key={place}>{<Pieces pieces={piece.pieces} />}</em>
      case 'strike':
        return <s key={place}>{<Pieces pieces={piece.pieces} />}</s>
      case 'mono':
        return <code key={place}>{piece.text}</code>
      case 'link':
        return (
          <span key={place} className={style.link} dir="ltr">
            {piece.text}
          </span>
        )
    }
  })
}

/** The wallpaper around bubbles. `direction` is the phone's language, which says who stands on which side. */
export function ChatPaper({ children, direction }: { children: ReactNode; direction?: 'ltr' | 'rtl' }) {
  return (
    <div className={style.paper} dir={direction}>
      <div className={style.column}>{children}</div>
    </div>
  )
}
