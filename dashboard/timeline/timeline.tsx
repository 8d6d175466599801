import type { CodedText } from '../../locales/text.ts'
import { Text, Title } from '@mantine/core'
import { Fragment } from 'react'
import type { NextAction } from '../../src/explain/next-action.ts'
import { useTexts } from '../texts/use-texts.ts'
import { CodeLink } from '../ui/state/code-link.tsx'
import { OutcomeBanner, QuietOutcome } from '../ui/state/outcome.tsx'
import { type Tone, statusWord } from '../ui/state/status.ts'
import { ToneBadge } from '../ui/state/status.tsx'
import { Time } from '../ui/time.tsx'
import { useWorkspace } from '../ui/workspace.ts'
import { KindIcon } from './icons.tsx'
import {
  type Mark,
  type TimelineEntry,
  type Actor,
  byDay,
  cutAtInstants,
  durationOf,
  isMuted,
  isToCome,
  marksOf,
  spanText,
} from './marks.ts'
import classes from './timeline.module.css'

/** The timeline of a message or a confirmation, as `explain` reports it. */
export function Timeline({ entries }: { entries: readonly TimelineEntry[] }) {
  const { t, language } = useTexts()
  const { timeZone } = useWorkspace()
  const dayFormat = new Intl.DateTimeFormat(`${language}-u-nu-latn`, { timeZone, dateStyle: 'full' })
  const days = byDay(entries, (at) => dayFormat.format(at))
  return (
    <section>
      <Title order={2} size="h4" mb="sm">
        {t('page_timeline.title')}
      </Title>
      {days.length === 0 && <Text>{t('page_timeline.empty')}</Text>}
      <ol className={classes['days']}>
        {days.map(({ day, entries: ofDay }, dayIndex) => (
          <li key={day}>
            <Title order={3} size="h6">
              {day}
            </Title>
            <ol className={classes['day']}>
              {ofDay.map(({ entry, sinceMs }, index) => (
                <TimelineItem
                  key={`${entry.at} ${entry.what} ${index}`}
                  entry={entry}
                  sinceMs={sinceMs}
                  isLast={dayIndex === days.length - 1 && index === ofDay.length - 1}
                />
              ))}
            </ol>
          </li>
        ))}
      </ol>
    </section>
  )
}

const COLOURS = {
  none: 'success',
  provider: 'progress',
  customer: 'progress',
  caller: 'warning',
  operator: 'failure',
} as const satisfies Record<Actor, Tone>

type Failure = { code: string; text: CodedText }

/** The next action, which readers want to know first, with the failure that it follows from. */
export function NextActionAlert({
  next: { who, sentence },
  failure = null,
}: {
  next: NextAction
  failure?: Failure | null
}) {
  const { t } = useTexts()
  if (who === 'none' && failure === null) {
    return (
      <QuietOutcome tone={COLOURS.none}>
        <ServerSentence>{sentence}</ServerSentence>
      </QuietOutcome>
    )
  }
  return (
    <OutcomeBanner
      tone={failure ? 'failure' : COLOURS[who]}
      title={`${t('page_timeline.next_title')}${t('page_shell.colon')}${t(`page_timeline.${who === 'customer' ? 'customer_acts' : who}`)}`}
    >
      {failure && (
        <div>
          <CodeLink code={failure.code} />
          {t('page_shell.colon')}
          <ServerSentence>{failure.text}</ServerSentence>
        </div>
      )}
      <ServerSentence>{sentence}</ServerSentence>
    </OutcomeBanner>
  )
}

type Item = { entry: TimelineEntry; sinceMs: number | undefined; isLast: boolean }

function TimelineItem({ entry, sinceMs, isLast }: Item) {
  const { t, language } = useTexts()
  const marks = marksOf(entry)
  const durationMs = durationOf(entry)
  const muted = isMuted(entry)
  return (
    <li className={classes['entry']} data-last={isLast || undefined} data-muted={muted || undefined}>
      <span className={classes['icon']} data-tone={toneOf(entry, marks)}>
        <KindIcon kind={entry.what} />
      </span>
      <div className={classes['head']}>
        <Text span fw={600} size="sm" {...(muted && { c: 'dimmed' })}>
          {t(`page_timeline.${entry.what}`)}
        </Text>
        <Text span size="sm">
          <Time at={entry.at} kind="workspace" form="clock" />
        </Text>
        {marks.map((mark) => (
          <MarkBadge key={keyOf(mark)} mark={mark} />
        ))}
        {durationMs !== undefined && (
          <Text span size="xs" c="dimmed">
            {spanText(durationMs, language)}
          </Text>
        )}
        {sinceMs !== undefined && !isToCome(entry) && (
          <Text span size="xs" c="dimmed" className={classes['since']}>
            {spanText(sinceMs, language)} {t('page_timeline.later')}
          </Text>
        )}
      </div>
      <Text size="sm" className={classes['detail'] ?? ''} {...(muted && { c: 'dimmed' })} component="div">
        <ServerSentence>{entry.detail}</ServerSentence>
      </Text>
    </li>
  )
}

const toneOf = (entry: TimelineEntry, marks: readonly Mark[]): Tone =>
  isMuted(entry) ? 'neutral' : isToCome(entry) ? 'warning' : (marks.at(-1)?.tone ?? 'progress')

function MarkBadge({ mark }: { mark: Mark }) {
  const texts = useTexts()
  return (
    <ToneBadge tone={mark.tone}>
      {'word' in mark ? (
        texts.t(`page_timeline.${mark.word}`)
      ) : 'status' in mark ? (
        statusWord(texts, 'message', mark.status)
      ) : (
        <bdi>{mark.text}</bdi>
      )}
    </ToneBadge>
  )
}

const keyOf = (mark: Mark): string => ('word' in mark ? mark.word : 'status' in mark ? mark.status : mark.text)

/** A sentence of the server, in the language of the page; the instants in it are shown in the delivery zone. */
export function ServerSentence({ children }: { children: CodedText }) {
  const { textOf } = useTexts()
  return (
    <span className={classes['sentence'] ?? ''}>
      {cutAtInstants(textOf(children)).map((part, index) =>
        index % 2 === 0 ? (
          <Fragment key={index}>{part}</Fragment>
        ) : (
          <Time key={`${index} ${part}`} at={part} kind="workspace" />
        ),
      )}
    </span>
  )
}
