/** A setup command that cannot be done as asked: the message says what is wrong and what to do. */
export class SetupRefused extends Error {
  constructor(sentence: string) {
    super(sentence)
    this.name = 'SetupRefused'
  }
}
