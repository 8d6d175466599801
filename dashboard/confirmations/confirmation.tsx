import { Anchor, Group } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { visibleText } from '../../locales/visible-text.ts'
import { type RouterOutputs, api } from '../api.ts'
import { MadeBy } from '../keys/made-by.tsx'
import { useTexts } from '../texts/use-texts.ts'
import { Recipient } from '../ui/recipient.tsx'
import { isErased } from '../../src/lib/phone/erased-recipient.ts'
import { CopyCurl, PhoneButton, SenderLink, TemplateLink } from '../timeline/links.tsx'
import { NextStep } from '../timeline/next-step.tsx'
import { Timeline } from '../timeline/timeline.tsx'
import { CopyText, Copyable } from '../ui/copy.tsx'
import { Fact, Facts } from '../ui/facts.tsx'
import { useLive } from '../ui/shell/live.ts'
import { Page } from '../ui/shell/page.tsx'
import { CodeLink } from '../ui/state/code-link.tsx'
import { Status } from '../ui/state/status.tsx'
import { Time } from '../ui/time.tsx'
import { useWorkspace } from '../ui/workspace.ts'
import classes from './confirmation.module.css'
import { NewTime } from './reschedule.tsx'
import { Timers } from './timers.tsx'
import { Transcript } from './transcript.tsx'

type ConfirmationData = RouterOutputs['confirmations']['get']

export function Confirmation() {
  const { t } = useTexts()
  const live = useLive()
  const { workspaceId } = useWorkspace()
  const { confirmationId } = useParams({ from: '/w/$workspaceId/confirmations/$confirmationId' })
  const { data, dataUpdatedAt } = useSuspenseQuery(api.confirmations.get.queryOptions({ workspaceId, confirmationId }))
  const { confirmation, refusalFailure, failure, next, webhooks } = data
  return (
    <Page
      title={`${t('page_confirmations.page_title')} \u2068${visibleText(confirmation.reference)}\u2069`}
      status={
        <>
          <CopyText text={confirmation.reference} />
          <Status of="order" value={confirmation.status} />
        </>
      }
      back={
        <Anchor
          size="sm"
          renderRoot={(props) => <Link {...props} to="/w/$workspaceId/confirmations" params={{ workspaceId }} />}
        >
          {t('page_confirmations.back')}
        </Anchor>
      }
      live={live}
      actions={
        <Group gap="xs">
          <PhoneButton phone={confirmation.recipient} number={confirmation.phoneNumberId} />
          {!isErased(confirmation.recipient) && <CopyCurl baseUrl={data.baseUrl} {...requestOf(data)} />}
        </Group>
      }
    >
      <NextStep next={next} failure={refusalFailure ?? failure} webhooks={webhooks} />
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
  const { reschedule, accountId } = confirmation
  return (
    <Facts label={t('page_confirmations.facts')} form="column">
      <Fact title={t('page_confirmations.customer')}>
        <Recipient of={confirmation.recipient} copyable />
      </Fact>
      {failure && refusalFailure && (
        <Fact title={t('page_confirmations.failure')}>
          <CodeLink code={failure.code} />
        </Fact>
      )}
      <Fact title={t('page_confirmations.created')}>
        <Time at={confirmation.createdAt} kind="workspace" />
      </Fact>
      <Fact title={t('page_confirmations.answered_at')}>
        {confirmation.answeredAt ? (
          <Time at={confirmation.answeredAt} kind="workspace" />
        ) : (
          t('page_confirmations.not_answered')
        )}
      </Fact>
      {reschedule && (
        <Fact title={t('page_confirmations.new_time')}>
          <NewTime reschedule={reschedule} />
        </Fact>
      )}
      {refusal && <RefusalFacts refusal={refusal} accountId={accountId} />}
      <Timers data={data} loadedAt={loadedAt} />
      <Fact title={t('page_confirmations.template')}>
        <TemplateLink accountId={accountId} name={confirmation.templateName} language={confirmation.templateLanguage} />
      </Fact>
      <Fact title={t('page_confirmations.sender')}>
        <SenderLink phone={confirmation.senderPhone} />
      </Fact>
      <Fact title={t('page_confirmations.key')}>
        <MadeBy apiKeyId={confirmation.apiKeyId} apiKeyName={confirmation.apiKeyName} />
      </Fact>
      <Fact title={t('page_confirmations.correlation')}>
        <Copyable text={confirmation.correlationId} />
      </Fact>
      <Fact title={t('page_confirmations.id')}>
        <Copyable text={confirmation.id} />
      </Fact>
    </Facts>
  )
}

type Refusal = NonNullable<ConfirmationData['refusal']>

function RefusalFacts({ refusal, accountId }: { refusal: Refusal; accountId: string }) {
  const { t } = useTexts()
  const { status, reason, note, answeredAt, templateName, templateLanguage } = refusal
  return (
    <>
      <Fact title={t('page_confirmations.refusal')}>
        <Status of="refusal" value={status} />
      </Fact>
      {reason !== null && (
        <Fact title={`${t('page_confirmations.refusal')}${t('page_shell.colon')}${t('page_confirmations.reason')}`}>
          <bdi>{visibleText(reason)}</bdi>
        </Fact>
      )}
      {note !== null && (
        <Fact title={`${t('page_confirmations.refusal')}${t('page_shell.colon')}${t('page_confirmations.note')}`}>
          <bdi>{visibleText(note)}</bdi>
        </Fact>
      )}
      <Fact title={`${t('page_confirmations.refusal')}${t('page_shell.colon')}${t('page_confirmations.answered_at')}`}>
        {answeredAt ? <Time at={answeredAt} kind="workspace" /> : t('page_confirmations.not_answered')}
      </Fact>
      <Fact title={`${t('page_confirmations.refusal')}${t('page_shell.colon')}${t('page_confirmations.template')}`}>
        <TemplateLink accountId={accountId} name={templateName} language={templateLanguage} />
      </Fact>
    </>
  )
}
