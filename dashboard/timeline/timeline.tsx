import { Alert, Badge, Text, Title } from '@mantine/core'
import { Fragment, useId } from 'react'
import type { Next } from '../../src/explain/who-must-act.ts'
import { Time, ZoneCaption, ZoneNamedBy } from '../ui/time.tsx'
import { useWorkspace } from '../ui/workspace.ts'
import { useLanguage, useWords } from '../words.ts'
import { KindIcon } from './icons.tsx'
import {
  type Mark,
  type TimelineEntry,
  type Tone,
  type Who,
  byDay,
  cutAtInstants,
  durationOf,
  isMuted,
  isToCome,
  marksOf,
  spanInWords,
} from './marks.ts'
import classes from './timeline.module.css'
import { timelineWords } from './words.ts'

/** What `explain` tells of a message or a confirmation: everything that happened, in order. */
export function Timeline({ entries }: { entries: readonly TimelineEntry[] }) {
  const text = useWords(timelineWords)
  const { timeZone } = useWorkspace()
  const { language } = useLanguage()
  const dayFormat = new Intl.DateTimeFormat(`${language}-u-nu-latn`, { timeZone, dateStyle: 'full' })
  const days = byDay(entries, (at) => dayFormat.format(at))
  const zone = useId()
  return (
    <section>
      <Title order={2} size="h4" mb={4}>
        {text.title}
      </Title>
      <ZoneCaption id={zone} mb="sm">
        {text.times}
      </ZoneCaption>
      {days.length === 0 && <Text>{text.empty}</Text>}
      <ZoneNamedBy head={zone}>
        <ol className={classes['days']}>
          {days.map(({ day, entries: ofDay }, place) => (
            <li key={day}>
              <Title order={3} size="h6">
                {day}
              </Title>
              <ol className={classes['day']}>
                {ofDay.map(({ entry, sinceMs }, index) => (
                  <TimelineItem
                    key={`${entry.at} ${entry.detail} ${index}`}
                    entry={entry}
                    sinceMs={sinceMs}
                    isLast={place === days.length - 1 && index === ofDay.length - 1}
                  />
                ))}
              </ol>
            </li>
          ))}
        </ol>
      </ZoneNamedBy>
    </section>
  )
}

const COLOURS = {
  nobody: 'teal',
  provider: 'blue',
  customer: 'blue',
  caller: 'orange',
  operator: 'red',
} as const satisfies Record<Who, string>

/** The one thing that whoever looks wants to know first. */
export function WhoMustAct({ next: { who, sentence } }: { next: Next }) {
  const text = useWords(timelineWords)
  return (
    <Alert color={COLOURS[who]} title={`${text.nextTitle}: ${text[who === 'customer' ? 'customerActs' : who]}`}>
      <ServerSentence>{sentence}</ServerSentence>
    </Alert>
  )
}

type Item = { entry: TimelineEntry; sinceMs: number | undefined; isLast: boolean }

function TimelineItem({ entry, sinceMs, isLast }: Item) {
  const text = useWords(timelineWords)
  const { language } = useLanguage()
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
          {text[entry.what]}
        </Text>
        <Text span size="sm">
          <Time at={entry.at} form="clock" />
        </Text>
        {marks.map((mark) => (
          <MarkBadge key={'word' in mark ? mark.word : mark.text} mark={mark} />
        ))}
        {durationMs !== undefined && (
          <Text span size="xs" c="dimmed">
            {spanInWords(durationMs, language)}
          </Text>
        )}
        {sinceMs !== undefined && !isToCome(entry) && (
          <Text span size="xs" c="dimmed" className={classes['since']}>
            {spanInWords(sinceMs, language)} {text.later}
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
  isMuted(entry) ? 'muted' : isToCome(entry) ? 'waiting' : (marks.at(-1)?.tone ?? 'plain')

const BADGES = {
  good: 'teal',
  bad: 'red',
  waiting: 'yellow',
  plain: 'blue',
  muted: 'gray',
} as const satisfies Record<Tone, string>

export function MarkBadge({ mark }: { mark: Mark }) {
  const text = useWords(timelineWords)
  return (
    <Badge color={BADGES[mark.tone]} variant="light">
      {'word' in mark ? text[mark.word] : <bdi>{mark.text}</bdi>}
    </Badge>
  )
}

/** A sentence of the server, in the language of the page; the instants in it are shown in the delivery zone. */
export function ServerSentence({ children }: { children: string }) {
  return (
    <span className={classes['sentence'] ?? ''}>
      {cutAtInstants(children).map((part, index) =>
        index % 2 === 0 ? <Fragment key={index}>{part}</Fragment> : <Time key={`${index} ${part}`} at={part} />,
      )}
    </span>
  )
}
