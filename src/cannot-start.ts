/** Something that the operator can mend. main.ts and cli.ts print the sentence and no stack trace. */
export class CannotStart extends Error {
  constructor(sentence: string) {
    super(sentence)
    this.name = 'CannotStart'
  }
}
