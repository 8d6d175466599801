import { Fragment, type ReactNode } from 'react'

/** An address, so that it breaks between its parts before it breaks within a word. */
export const withBreaks = (address: string): ReactNode =>
  address.split(/(?<=[/?&])(?!\/)/).map((part, index) => (
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ))
