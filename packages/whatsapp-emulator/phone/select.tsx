import type { ComponentProps } from 'react'
import { Icon } from './icons.tsx'
import style from './select.module.css'

export function Select(select: ComponentProps<'select'>) {
  return (
    <span className={style.select}>
      <select {...select} />
      <Icon name="choose" />
    </span>
  )
}
