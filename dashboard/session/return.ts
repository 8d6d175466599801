/** Where to go after signing in, within a workspace of the dashboard: nowhere else can an address of ours lead. */
export const readReturn = (given: Record<string, unknown>): { back?: string } => {
  const { back } = given
  return typeof back === 'string' && /^\/w\/[\w-]+\//.test(back) && !back.includes('\\') ? { back } : {}
}
