/** Where to go after signing in, within a workspace of the dashboard: nowhere else can an address of ours lead. */
export const readReturn = (given: Record<string, unknown>): { then?: string } => {
  const { then } = given
  return typeof then === 'string' && /^\/w\/[\w-]+\//.test(then) && !then.includes('\\') ? { then } : {}
}
