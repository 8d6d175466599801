/** Where to go after signing in. Accepts only addresses within a workspace of the dashboard. */
export const readReturn = (raw: Record<string, unknown>): { back?: string } => {
  const { back } = raw
  return typeof back === 'string' && /^\/w\/[\w-]+\//.test(back) && !back.includes('\\') ? { back } : {}
}
