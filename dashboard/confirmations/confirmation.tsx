import { Group } from '@mantine/core'
import { useInterval } from '@mantine/hooks'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useParams, useSearch } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { visibleText } from '../../locales/visible-text.ts'
import { isErased } from '../../src/lib/phone/erased-recipient.ts'
import type { RouterOutputs } from '../api.ts'
import { pageQueries } from '../queries.ts'
import { type T, useTexts } from '../texts/use-texts.ts'
import { CopyCurl, MadeBy, PhoneButton, SenderLink, TemplateLink } from '../timeline/links.tsx'
import { NextStep } from '../timeline/next-step.tsx'
import { Timeline } from '../timeline/timeline.tsx'
import { CopyText, Copyable, Recipient } from '../ui/as-typed.tsx'
import { spanText } from '../ui/clock.ts'
import { type Fact, Facts } from '../ui/facts.tsx'
import { AnchorLink } from '../ui/link.tsx'
import { Page } from '../ui/shell/page.tsx'
import { CodeLink, Status } from '../ui/state/status.tsx'
import { Time } from '../ui/time.tsx'
import { useWorkspace } from '../ui/workspace.ts'
import classes from './confirmation.module.css'
import { Neighbours } from './neighbours.tsx'
import { NewTime } from './reschedule.tsx'
import { Separated } from '../ui/separated.tsx'
import { Transcript } from './transcript.tsx'

type ConfirmationData = RouterOutputs['confirmations']['get']

const PAGE = '/w/$workspaceId/confirmations/$confirmationId'

export function Confirmation() {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const { confirmationId } = useParams({ from: PAGE })
  const search = useSearch({ from: PAGE })
  const { data, dataUpdatedAt } = useSuspenseQuery(pageQueries.confirmation({ workspaceId, confirmationId }))
  const { confirmation, refusalFailure, failure, next, webhooks } = data
  return (
    <Page
      title={`${t('page_confirmations.page_title')} \u2068${visibleText(confirmation.reference)}\u2069`}
      status={
        <>
          <CopyText text={confirmation.reference} />
          <Status of="confirmation" value={confirmation.status} />
        </>
      }
      back={
        <Group gap="xs">
          <AnchorLink size="sm" to="/w/$workspaceId/confirmations" search={search}>
            {t('page_confirmations.back')}
          </AnchorLink>
          <Neighbours of={confirmation.id} />
        </Group>
      }
      live
      actions={
        <>
          <PhoneButton phone={confirmation.recipient} number={confirmation.phoneNumberId} />
          {!isErased(confirmation.recipient) && <CopyCurl baseUrl={data.baseUrl} {...requestOf(data)} />}
        </>
      }
    >
      <NextStep
        next={next}
        failure={refusalFailure ?? failure}
        webhooks={webhooks}
        done={next.sentence.code === 'explain.no_action' ? outcomeOf(confirmation, t) : undefined}
      />
      <div className={classes['parts']}>
        <ConfirmationFacts data={data} loadedAt={dataUpdatedAt} />
        <div className={classes['transcript']}>
          <Transcript transcript={data.transcript} />
        </div>
        <Timeline entries={data.timeline} />
      </div>
    </Page>
  )
}

/** What the shop does now. Undefined where the sentence of `explain` says all. */
function outcomeOf({ status, reschedule }: ConfirmationData['confirmation'], t: T): ReactNode {
  if (status === 'cancelled') return t('page_confirmations.do_not_ship')
  if (status !== 'rescheduled' || reschedule === null) return undefined
  return (
    <>
      {t('page_confirmations.deliver_at')} <NewTime reschedule={reschedule} />
    </>
  )
}

function requestOf({ confirmation }: ConfirmationData): { path: string; body: object } {
  const { recipient: to, senderId, templateName: name, templateLanguage: language, reference } = confirmation
  const { parameters } = confirmation
  const isFilled = Object.keys(parameters).length > 0
  const body = { to, senderId, template: { name, language }, ...(isFilled && { parameters }), reference }
  return { path: '/cod-confirmations', body }
}

function ConfirmationFacts({ data, loadedAt }: { data: ConfirmationData; loadedAt: number }) {
  const { t } = useTexts()
  const { confirmation, refusal, failure, refusalFailure } = data
  const { reschedule, accountId, answeredAt } = confirmation
  const timers = useTimerFacts(data, loadedAt)
  return (
    <Facts
      label={t('page_confirmations.facts')}
      form="column"
      of={[
        [t('page_confirmations.customer'), <Recipient of={confirmation.recipient} copyable />],
        failure && refusalFailure && [t('page_confirmations.failure'), <CodeLink code={failure.code} />],
        [t('page_confirmations.created'), <Time at={confirmation.createdAt} kind="workspace" />],
        [t('page_confirmations.answered_at'), <AnsweredAt at={answeredAt} />],
        reschedule && [t('page_confirmations.new_time'), <NewTime reschedule={reschedule} />],
        ...(refusal ? refusalFacts(refusal, accountId, t) : []),
        ...timers,
        [
          t('page_confirmations.template'),
          <TemplateLink
            accountId={accountId}
            name={confirmation.templateName}
            language={confirmation.templateLanguage}
          />,
        ],
        [t('page_confirmations.sender'), <SenderLink phone={confirmation.senderPhone} />],
        [t('page_confirmations.key'), <MadeBy apiKeyId={confirmation.apiKeyId} apiKeyName={confirmation.apiKeyName} />],
        [t('page_confirmations.correlation'), <Copyable text={confirmation.correlationId} cut />],
        [t('page_confirmations.id'), <Copyable text={confirmation.id} cut />],
      ]}
    />
  )
}

function AnsweredAt({ at }: { at: string | null }) {
  const { t } = useTexts()
  return at ? <Time at={at} kind="workspace" /> : t('page_confirmations.not_answered')
}

const ofRefusal = (t: T, title: string): string => `${t('page_confirmations.refusal')}${t('page_shell.colon')}${title}`

type Refusal = NonNullable<ConfirmationData['refusal']>

function refusalFacts(refusal: Refusal, accountId: string, t: T): (Fact | false)[] {
  const { status, reason, note, answeredAt, templateName, templateLanguage } = refusal
  return [
    [t('page_confirmations.refusal'), <Status of="refusal" value={status} />],
    reason !== null && [ofRefusal(t, t('page_confirmations.reason')), <bdi>{visibleText(reason)}</bdi>],
    note !== null && [ofRefusal(t, t('page_confirmations.note')), <bdi>{visibleText(note)}</bdi>],
    [ofRefusal(t, t('page_confirmations.answered_at')), <AnsweredAt at={answeredAt} />],
    [
      ofRefusal(t, t('page_confirmations.template')),
      <TemplateLink accountId={accountId} name={templateName} language={templateLanguage} />,
    ],
  ]
}

const CLOCK_INTERVAL_MS = 15_000

/** What happens without an answer, and when. Times count by the server's clock: a browser's clock may be wrong. */
function useTimerFacts({ timers, now }: ConfirmationData, loadedAt: number): Fact[] {
  const { t, language } = useTexts()
  const passedMs = usePassed(loadedAt)
  return timers.map(({ check, timer, at }) => {
    const leftMs = Date.parse(at) - Date.parse(now) - passedMs
    const title = t(`page_confirmations.${timer}_fires`)
    return [
      check === 'refusal' ? ofRefusal(t, title) : title,
      <Separated
        of={[
          leftMs > 0 ? `${t('page_confirmations.in_time')} ${spanText(leftMs, language)}` : t('page_confirmations.due'),
          <Time at={at} kind="workspace" />,
        ]}
      />,
    ]
  })
}

function usePassed(since: number): number {
  const [now, setNow] = useState(Date.now)
  useInterval(() => setNow(Date.now()), CLOCK_INTERVAL_MS, { autoInvoke: true })
  return Math.max(0, now - since)
}
