import { z } from 'zod'
import { must } from '../http/fields.ts'
import { keptSentences } from '../sentences.ts'

const NAME_MOST = 100

const says = keptSentences({
  oneLine: {
    en: 'must be on one line, without control characters',
    ar: 'يجب أن يكون في سطر واحد بلا أحرف تحكم',
  },
})

/** Of a workspace or a key, as the command line takes them. */
export const nameOfThing = z
  .string()
  .trim()
  .min(1, must.notBeEmpty.en)
  .refine((name) => Array.from(name).length <= NAME_MOST, must.haveAtMost({ most: NAME_MOST }).en)
  .refine((name) => !/\p{Cc}/u.test(name), says.oneLine.en)
