import { type Sentence, findSentence, quoted, sentences } from '../sentences.ts'

/** Why an account cannot be read, as stored: a sentence of ours, or code and title of the error that refused its token. */
export function readStatusDetail(detail: string): Sentence {
  const known = findSentence(detail)
  if (known) return known
  const [, code, title] = /^(\d+) (.+)$/s.exec(detail) ?? []
  if (code === undefined || title === undefined) return quoted(detail)
  return says.refused({ code, title: findSentence(title) ?? quoted(title) })
}

const says = sentences({ refused: { en: '{code} {title}', ar: 'الرمز {code}: {title}' } })
