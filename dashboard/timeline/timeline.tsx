import { Text, Title, VisuallyHidden } from '@mantine/core'
import { Unbroken } from '@doorcode/whatsapp-emulator/phone/bubble.tsx'
import type { ReactNode } from 'react'
import type { CodedText } from '../../locales/text.ts'
import { LogLink } from '../endpoints/delivery-parts.tsx'
import { dateFormat } from '../texts/formats.ts'
import { type PageTexts, useTexts } from '../texts/use-texts.ts'
import { spanText } from '../ui/clock.ts'
import { type Tone, needsALook, statusWord, toneOf } from '../ui/state/status.ts'
import { StateMark } from '../ui/state/status.tsx'
import { Time } from '../ui/time.tsx'
import { useWorkspace } from '../ui/workspace.ts'
import {
  type Group,
  type Kind,
  type Mark,
  type TimelineEntry,
  byDay,
  cutAtInstants,
  durationOf,
  groupsOf,
  isMuted,
  isToCome,
  latestPerDelivery,
  marksOf,
  reportedAfterMs,
  saysAll,
} from './marks.ts'
import classes from './timeline.module.css'

/**
 * The timeline of a message or a confirmation, as `explain` reports it: one line per step, with related steps folded
 * together. `isOpen`: on the page of one message.
 */
export function Timeline({ entries, isOpen = false }: { entries: readonly TimelineEntry[]; isOpen?: boolean }) {
  const { t, language } = useTexts()
  const { timeZone } = useWorkspace()
  const dayFormat = dateFormat(language, { timeZone, dateStyle: 'full' })
  const days = byDay(groupsOf(entries), (at) => dayFormat.format(at))
  return (
    <section>
      <Title order={2} size="h4" mb="sm">
        {t('page_timeline.title')}
      </Title>
      {days.length === 0 && <Text>{t('page_timeline.empty')}</Text>}
      <ol className={classes['days']}>
        {days.map(({ day, entries: ofDay }) => (
          <li key={day}>
            <Title order={3} size="h6">
              {day}
            </Title>
            <ol className={classes['day']}>
              {ofDay.map(({ entry: group, sinceMs }, index) => (
                <li key={`${group.at} ${group.head.what} ${index}`}>
                  {group.rest.length === 0 ? (
                    <Step entry={group.head} sinceMs={sinceMs} />
                  ) : (
                    <Folded group={group} sinceMs={sinceMs} isOpen={isOpen && group.head.what === 'message'} />
                  )}
                </li>
              ))}
            </ol>
          </li>
        ))}
      </ol>
    </section>
  )
}

type FoldedProps = { group: Group; sinceMs: number | undefined; isOpen: boolean }

/** A message or an event in one line, and its steps when it is opened. `isOpen`: the message of the page, which shows its text. */
function Folded({ group, sinceMs, isOpen }: FoldedProps) {
  const texts = useTexts()
  const { t, language } = texts
  const { head, rest } = group
  const afterMs = reportedAfterMs(group)
  const marks = [...marksOf(head), ...(head.what === 'event' ? latestPerDelivery(rest).flatMap(marksOf) : [])]
  return (
    <details className={classes['group']} open={isOpen}>
      <summary className={classes['line']}>
        <Head
          entry={head}
          sinceMs={sinceMs}
          tone={lastTone(rest.at(-1) ?? head, marks)}
          label={nameOf(head, texts)}
          marks={marks}
        >
          {afterMs !== undefined && (
            <Text span size="xs" c="dimmed">
              {t('page_timeline.after', { span: spanText(afterMs, language) })}
            </Text>
          )}
        </Head>
      </summary>
      <ol className={classes['steps']}>
        {!isOpen && (
          <li className={classes['line']}>
            <Text span size="sm" className={classes['detail'] ?? ''}>
              <ServerSentence>{head.detail}</ServerSentence>
            </Text>
          </li>
        )}
        {rest.map((entry, index) => (
          <li key={`${entry.at} ${entry.what} ${index}`}>
            <Step entry={entry} sinceMs={undefined} />
          </li>
        ))}
      </ol>
    </details>
  )
}

/** A message of a conversation is shown by its name. */
function nameOf({ what, name }: TimelineEntry, { t, textOf }: PageTexts): string {
  if (what !== 'message' || typeof name !== 'object' || name === null) return t(`page_timeline.${what}`)
  const text = textOf(name as CodedText)
  return text.charAt(0).toLocaleUpperCase() + text.slice(1)
}

function Step({ entry, sinceMs }: { entry: TimelineEntry; sinceMs: number | undefined }) {
  const { t, language } = useTexts()
  const marks = marksOf(entry)
  const durationMs = durationOf(entry)
  const muted = isMuted(entry)
  return (
    <div className={classes['line']} data-muted={muted || undefined}>
      <Head
        entry={entry}
        sinceMs={sinceMs}
        tone={lastTone(entry, marks)}
        label={t(`page_timeline.${entry.what}`)}
        marks={marks}
      >
        {durationMs !== undefined && (
          <Text span size="xs" c="dimmed">
            {spanText(durationMs, language)}
          </Text>
        )}
        {!saysAll(entry) && (
          <Text span size="sm" className={classes['detail'] ?? ''} {...(muted && { c: 'dimmed' })}>
            <ServerSentence>{entry.detail}</ServerSentence>
          </Text>
        )}
        <DeliveryLink entry={entry} />
      </Head>
    </div>
  )
}

/** A link to a webhook's delivery in its endpoint's log. */
function DeliveryLink({ entry: { endpointId, deliveryId } }: { entry: TimelineEntry }) {
  const { t } = useTexts()
  if (typeof endpointId !== 'string' || typeof deliveryId !== 'string') return null
  return <LogLink of={{ endpointId, deliveryId }} label={t('page_endpoints.in_log')} />
}

type HeadProps = {
  entry: TimelineEntry
  /** The time that passed since the entry above. */
  sinceMs: number | undefined
  tone: Tone
  label: string
  marks: Mark[]
  children: ReactNode
}

/** `children`: the rest of the line. */
function Head({ entry, sinceMs, tone, label, marks, children }: HeadProps) {
  const { t, language } = useTexts()
  return (
    <>
      <Text span size="sm" c="dimmed" className={classes['clock'] ?? ''}>
        <Time at={entry.at} kind="workspace" form="clock" />
        {sinceMs !== undefined && !isToCome(entry) && (
          <Text span size="xs" className={classes['since'] ?? ''}>
            <span aria-hidden="true">
              {/* The mark keeps the sign to the left of an Arabic number. */}
              {language === 'ar' && '\u200e'}+{spanText(sinceMs, language)}
            </span>
            <VisuallyHidden component="span">
              {spanText(sinceMs, language)} {t('page_timeline.later')}
            </VisuallyHidden>
          </Text>
        )}
      </Text>
      <span className={classes['icon']} data-tone={tone}>
        <KindIcon entry={entry} />
      </span>
      <span className={classes['said']}>
        <Text span fw={600} size="sm" {...(isMuted(entry) && { c: 'dimmed' })}>
          {label}
        </Text>
        {marks.map((mark, index) => (
          <MarkBadge key={`${keyOf(mark)} ${index}`} mark={mark} />
        ))}
        {children}
      </span>
    </>
  )
}

const lastTone = (entry: TimelineEntry, marks: readonly Mark[]): Tone =>
  isMuted(entry) || isToCome(entry)
    ? 'neutral'
    : toneOf((marks.findLast(({ colour }) => needsALook(colour)) ?? marks.at(-1))?.colour ?? 'progress')

function MarkBadge({ mark }: { mark: Mark }) {
  const texts = useTexts()
  return (
    <StateMark colour={mark.colour}>
      {'word' in mark ? (
        texts.t(`page_timeline.${mark.word}`)
      ) : 'status' in mark ? (
        statusWord(texts, 'message', mark.status)
      ) : (
        <bdi>{mark.text}</bdi>
      )}
    </StateMark>
  )
}

const keyOf = (mark: Mark): string => ('word' in mark ? mark.word : 'status' in mark ? mark.status : mark.text)

/** A sentence of the server, in the language of the page; the instants in it are shown in the delivery zone. */
export function ServerSentence({ children }: { children: CodedText }) {
  const { textOf } = useTexts()
  return cutAtInstants(textOf(children)).map((part, index) =>
    index % 2 === 0 ? (
      <Unbroken key={index} text={part} />
    ) : (
      <Time key={`${index} ${part}`} at={part} kind="workspace" />
    ),
  )
}

/** Icons in a 24 px square. The text next to them gives their meaning. */
const PATHS: Readonly<Record<Kind, string>> = {
  request: 'M3 12h14M12 6l6 6-6 6M21 4v16',
  quota: 'M4 20V10M10 20V4M16 20v-7M22 20H2',
  message: 'M4 5h16v11H9l-5 4z',
  attempt: 'M3 11l18-8-8 18-2-8z',
  report: 'M2 13l4 4L15 8M10 16l1 1L20 8',
  customer: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8M4 21c1-4 4-6 8-6s7 2 8 6',
  answer: 'M9 7L4 12l5 5M4 12h10c4 0 6 2 6 6',
  event: 'M13 2L5 14h6l-1 8 8-12h-6z',
  webhook: 'M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1',
  timer: 'M12 7v5l3 3M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18',
}

/** As in WhatsApp: one tick for a message that was only sent, and none for one that failed. */
const REPORTS: Readonly<Record<string, string>> = { sent: 'M5 13l5 5L20 7', failed: 'M6 6l12 12M18 6L6 18' }

function KindIcon({ entry: { what, report } }: { entry: TimelineEntry }) {
  const path = what === 'report' ? REPORTS[String(report)] : undefined
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true">
      <path d={path ?? PATHS[what]} />
    </svg>
  )
}
