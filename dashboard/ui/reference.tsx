import { visibleText } from '../../locales/visible-text.ts'

/** Longer ones may break: a table must fit. */
const MAX_WHOLE = 24

/** What the shop calls an order. A short one is not cut at its hyphen. */
export const Reference = ({ of }: { of: string }) => (
  <bdi style={of.length <= MAX_WHOLE ? { whiteSpace: 'nowrap' } : { overflowWrap: 'anywhere' }}>{visibleText(of)}</bdi>
)
