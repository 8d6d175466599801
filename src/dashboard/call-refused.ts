import { TRPCError } from '@trpc/server'
import type { Sentence } from '../sentences.ts'

/** A call that is not answered, and why, in the language of the page. */
export class CallRefused extends TRPCError {
  readonly sentence: Sentence

  constructor(code: TRPCError['code'], sentence: Sentence, cause?: unknown) {
    super({ code, message: sentence.en, cause })
    this.sentence = sentence
  }
}
