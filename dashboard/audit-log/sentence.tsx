import { Fragment } from 'react'
import { isAuditAction } from '../../src/admin/audit/actions.ts'
import { type PageTexts, useTexts } from '../texts/use-texts.ts'
import { actionIn, sentenceCodeOf } from './action.ts'
import { whoText } from './command-line.ts'
import { type Entry, TargetLink, targetName } from './target.tsx'

/** Placeholders for the words of the entry. No sentence contains these characters. */
const [WHO, TARGET] = ['{who}', '{target}'] as const

/** Who did what, and to what. */
export function Sentence({ entry }: { entry: Entry }) {
  const texts = useTexts()
  return sentenceOf(entry, texts, { who: WHO, target: TARGET })
    .split(/(\{who\}|\{target\})/)
    .map((part, index) => (
      <Fragment key={index}>
        {part === WHO ? (
          <bdi>
            <b>{whoText(entry.who, texts)}</b>
          </bdi>
        ) : part === TARGET ? (
          <TargetLink entry={entry} />
        ) : (
          part
        )}
      </Fragment>
    ))
}

export const sentenceText = (entry: Entry, texts: PageTexts): string =>
  sentenceOf(entry, texts, { who: whoText(entry.who, texts), target: targetName(entry, texts) })

const sentenceOf = ({ action }: Entry, texts: PageTexts, words: { who: string; target: string }): string =>
  isAuditAction(action)
    ? texts.t(sentenceCodeOf(action), words)
    : `${words.who}${texts.t('page_shell.colon')}${actionIn(action, texts)}`
