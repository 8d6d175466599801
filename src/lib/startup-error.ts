/** The operator can fix it, so it is printed without a stack trace. */
export class StartupError extends Error {
  override readonly name = 'StartupError'
}
