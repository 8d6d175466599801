import type { ReactNode } from 'react'
import classes from './read-only.module.css'

/** Its contents can be read and copied but not changed. */
export function ReadOnly({ when, children }: { when: boolean; children: ReactNode }) {
  return (
    <fieldset disabled={when} className={classes['plain']}>
      {children}
    </fieldset>
  )
}
