import { visibleText } from '../../locales/visible-text.ts'

/** Longer references may wrap, so that a table fits. */
const MAX_WHOLE = 24

/** The shop's reference of an order. A short one does not wrap at its hyphen. */
export const Reference = ({ of }: { of: string }) => (
  <bdi style={of.length <= MAX_WHOLE ? { whiteSpace: 'nowrap' } : { overflowWrap: 'anywhere' }}>{visibleText(of)}</bdi>
)
