import { Text, type TextProps } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './separated.module.css'

/** Parts that are `false`, `null`, `undefined`, 0 or '' are left out. */
type Props = TextProps & { of: readonly ReactNode[] }

/** Parts of a line with dots between them. Where the line wraps, it neither begins nor ends with a dot. */
export const Separated = ({ of: parts, ...props }: Props) => (
  <Text component="span" size="sm" {...props} className={classes['separated'] ?? ''}>
    {parts.map((part, index) => Boolean(part) && <span key={index}>{part}</span>)}
  </Text>
)
