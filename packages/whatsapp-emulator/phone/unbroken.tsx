import type { ReactNode } from 'react'

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
