import { Alert, Anchor, Grid, Stack } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { visibleText } from '../../locales/visible-text.ts'
import { type RouterOutputs, api } from '../api.ts'
import { MadeBy } from '../keys/made-by.tsx'
import { NamedTemplate } from '../templates/named.tsx'
import { useTexts } from '../texts/use-texts.ts'
import { ServerSentence, Timeline, NextActionAlert } from '../timeline/timeline.tsx'
import { Copyable } from '../ui/copy.tsx'
import { Fact, Facts } from '../ui/facts.tsx'
import { useLive } from '../ui/shell/live.ts'
import { Page } from '../ui/shell/page.tsx'
import { Status } from '../ui/state/status.tsx'
import { Time } from '../ui/time.tsx'
import { useWorkspace } from '../ui/workspace.ts'
import { AnswerHistory } from './answers.tsx'
import { NewTime } from './reschedule.tsx'
import { Timers } from './timers.tsx'
import { Transcript } from './transcript.tsx'
import { Webhooks } from './webhooks.tsx'

type ConfirmationData = RouterOutputs['confirmations']['get']

export function Confirmation() {
  const { t } = useTexts()
  const live = useLive()
  const { workspaceId } = useWorkspace()
  const { confirmationId } = useParams({ from: '/w/$workspaceId/confirmations/$confirmationId' })
  const { data, dataUpdatedAt } = useSuspenseQuery(api.confirmations.get.queryOptions({ workspaceId, confirmationId }))
  return (
    <Page
      title={`${t('page_confirmations.page_title')} \u2068${visibleText(data.confirmation.reference)}\u2069`}
      about={
        <Anchor
          size="sm"
          renderRoot={(props) => <Link {...props} to="/w/$workspaceId/confirmations" params={{ workspaceId }} />}
        >
          {t('page_confirmations.back')}
        </Anchor>
      }
      live={live}
    >
      <Failure title={t('page_confirmations.failure')} failure={data.failure} />
      <Failure title={t('page_confirmations.refusal_failure')} failure={data.refusalFailure} />
      <NextActionAlert next={data.next} />
      <ConfirmationFacts data={data} />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Transcript transcript={data.transcript} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Stack gap="lg">
            <Timers data={data} loadedAt={dataUpdatedAt} />
            <AnswerHistory answers={data.answers} />
            <Webhooks webhooks={data.webhooks} confirmationId={confirmationId} />
          </Stack>
        </Grid.Col>
      </Grid>
      <Timeline entries={data.timeline} />
    </Page>
  )
}

function Failure({ title, failure }: { title: string; failure: ConfirmationData['failure'] }) {
  if (!failure) return null
  return (
    <Alert color="red" title={title}>
      <code>{failure.code}</code>
      <ServerSentence>{failure.text}</ServerSentence>
    </Alert>
  )
}

function ConfirmationFacts({ data: { confirmation, refusal } }: { data: ConfirmationData }) {
  const { t } = useTexts()
  const { reschedule } = confirmation
  return (
    <Facts label={t('page_confirmations.facts')}>
      <Fact title={t('page_confirmations.confirmation')}>
        <Status of="order" value={confirmation.status} />
      </Fact>
      <Fact title={t('page_confirmations.customer')}>
        <Copyable text={confirmation.recipient} />
      </Fact>
      <Fact title={t('page_confirmations.order')}>
        <Copyable text={confirmation.reference} />
      </Fact>
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
      <Fact title={t('page_confirmations.template')}>
        <NamedTemplate name={confirmation.templateName} language={confirmation.templateLanguage} />
      </Fact>
      <Fact title={t('page_confirmations.sender')}>
        <span className="as-typed">{confirmation.senderPhone}</span>
      </Fact>
      {refusal && <RefusalFacts refusal={refusal} />}
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

function RefusalFacts({ refusal }: { refusal: NonNullable<ConfirmationData['refusal']> }) {
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
        <NamedTemplate name={templateName} language={templateLanguage} />
      </Fact>
    </>
  )
}
