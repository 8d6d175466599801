/** What was asked of the twin cannot be done; the message says what to do instead. */
export class ControlError extends Error {
  readonly httpStatus: number

  constructor(message: string, httpStatus = 400) {
    super(message)
    this.httpStatus = httpStatus
  }
}
