import type { RefusalCode } from './errors.ts'
import type { Sentence } from './sentences.ts'

/**
 * What a program makes of it, as far as there is a code for it: what was named is not there, is not set up, cannot be
 * reached at present, or is not as it must be.
 */
export type SetupCode = Extract<
  RefusalCode,
  'NOT_FOUND' | 'COD_NOT_CONFIGURED' | 'SERVICE_UNAVAILABLE' | 'DEVELOPER_INVALID_INPUT'
>

/** A setup command that cannot be done as asked: the message says what is wrong and what to do. */
export class SetupRefused extends Error {
  /** The message, which is its English, for pages. */
  readonly sentence: Sentence
  readonly code: SetupCode

  constructor(sentence: Sentence, code: SetupCode = 'DEVELOPER_INVALID_INPUT') {
    super(sentence.en)
    this.name = 'SetupRefused'
    this.code = code
    this.sentence = sentence
  }
}
