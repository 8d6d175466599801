/** Where to go after signing in, within a workspace of the dashboard: nowhere else can an address of ours lead. */
export const readReturn = (raw: Record<string, unknown>): { back?: string } => {
  const { back } = raw
  return typeof back === 'string' && /^\/w\/[\w-]+\//.test(back) && !back.includes('\\') ? { back } : {}
}
