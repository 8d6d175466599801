import type { ReactNode } from 'react'
import classes from './read-only.module.css'

/** Everything in it can be read and copied, and nothing changed. */
export function ReadOnly({ when, children }: { when: boolean; children: ReactNode }) {
  return (
    <fieldset disabled={when} className={classes['plain']}>
      {children}
    </fieldset>
  )
}
