import type { Sentence } from './sentences.ts'

/** A setup command that cannot be done as asked: the message says what is wrong and what to do. */
export class SetupRefused extends Error {
  /** The message, which is its English, for pages. */
  readonly sentence: Sentence

  constructor(sentence: Sentence) {
    super(sentence.en)
    this.name = 'SetupRefused'
    this.sentence = sentence
  }
}
