/** Longer ones may break: a table must fit. */
const WHOLE_MOST = 24

/** What the shop calls an order. A short one is not cut at its hyphen. */
export const Reference = ({ of }: { of: string }) => (
  <bdi style={of.length <= WHOLE_MOST ? { whiteSpace: 'nowrap' } : { overflowWrap: 'anywhere' }}>{of}</bdi>
)
