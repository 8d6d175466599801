import type { ComponentProps, ReactNode } from 'react'
import style from './bubble.module.css'
import type { Ticks } from '../src/wire/chats.ts'

const TICKS: Readonly<Record<Ticks, ReactNode>> = {
  accepted: <path d="M9 3.5a4.5 4.5 0 1 0 .01 0M9 5.5V8l1.7 1.2" />,
  sent: <path d="m4.5 8.5 3 3 6-7" />,
  delivered: <path d="m1.5 8.5 3 3 6-7M8.2 10.7l.8.8 6-7" />,
  read: <path d="m1.5 8.5 3 3 6-7M8.2 10.7l.8.8 6-7" />,
  failed: <path d="M9 2.5a5.5 5.5 0 1 0 .01 0M9 5v3.5M9 10.9v.01" />,
}

/** One tick: sent. Two: it is on the phone. Two in blue: read. */
export function TicksIcon({ ticks }: { ticks: Ticks }) {
  return (
    <svg className={style.ticks} viewBox="0 0 17 16" aria-hidden="true">
      {TICKS[ticks]}
    </svg>
  )
}

const SHAPES = {
  back: <path className={style.mirrored} d="M15 5l-7 7 7 7" />,
  choose: <path d="m8 9 4-4 4 4M8 15l4 4 4-4" />,
  close: <path d="M6 6l12 12M18 6L6 18" />,
  copy_code: <path d="M9 9h11v11H9zM5 15H4V4h11v1" />,
  down: <path d="M6 9l6 6 6-6" />,
  list: <path className={style.mirrored} d="M9 6h11M9 12h11M9 18h11M4 6h.01M4 12h.01M4 18h.01" />,
  more: <path d="M12 5h.01M12 12h.01M12 19h.01" />,
  person: <path d="M12 4a4 4 0 1 0 .01 0M4 20c1-4.5 4-6 8-6s7 1.5 8 6" />,
  plus: <path d="M12 5v14M5 12h14" />,
  reply: <path className={style.mirrored} d="M10 6 4 12l6 6v-4c5 0 8 1.5 10 5 0-6-3-9.5-10-9.5z" />,
  send: <path className={style.mirrored} d="M4 12 3 4l18 8-18 8zM4 12h8" />,
  shop: <path d="M4 10v10h16V10M3 10l2-6h14l2 6a3 3 0 0 1-6 0 3 3 0 0 1-6 0 3 3 0 0 1-6 0zM10 20v-5h4v5" />,
  url: <path className={style.mirrored} d="M14 4h6v6M20 4l-9 9M18 14v6H4V6h6" />,
} as const satisfies Record<string, ReactNode>

export type IconName = keyof typeof SHAPES

export function Icon({ name, className = style.icon }: { name: IconName; className?: string | undefined }) {
  return (
    <svg className={className} viewBox="0 0 24 24" aria-hidden="true">
      {SHAPES[name]}
    </svg>
  )
}

/** `label` is for people who do not see the icon. */
export function IconButton({ icon, label, ...button }: { icon: IconName; label: string } & ComponentProps<'button'>) {
  return (
    <button type="button" {...button}>
      <Icon name={icon} />
      <span className={style.hidden}>{label}</span>
    </button>
  )
}
