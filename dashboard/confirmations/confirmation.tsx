import { Alert, Anchor, Grid, Stack } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { type Answers, api } from '../api.ts'
import { MadeBy } from '../keys/made-by.tsx'
import { NamedTemplate } from '../templates/named.tsx'
import { ServerSentence, Timeline, WhoMustAct } from '../timeline/timeline.tsx'
import { Copyable } from '../ui/copy.tsx'
import { Fact, Facts } from '../ui/facts.tsx'
import { useLive } from '../ui/live.ts'
import { Page } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'
import { useWorkspace } from '../ui/workspace.ts'
import { useWords } from '../words.ts'
import { AnswerHistory } from './answers.tsx'
import { NewTime } from './reschedule.tsx'
import { CheckStatus } from './status.tsx'
import { Timers } from './timers.tsx'
import { Transcript } from './transcript.tsx'
import { Webhooks } from './webhooks.tsx'
import { confirmationWords } from './words.ts'

type Told = Answers['confirmations']['get']

export function Confirmation() {
  const text = useWords(confirmationWords)
  const live = useLive()
  const { workspaceId } = useWorkspace()
  const { confirmationId } = useParams({ from: '/w/$workspaceId/confirmations/$confirmationId' })
  const { data: told, dataUpdatedAt } = useSuspenseQuery(
    api.confirmations.get.queryOptions({ workspaceId, confirmationId }),
  )
  return (
    <Page
      title={`${text.pageTitle} \u2068${told.confirmation.reference}\u2069`}
      about={
        <Anchor
          size="sm"
          renderRoot={(props) => <Link {...props} to="/w/$workspaceId/confirmations" params={{ workspaceId }} />}
        >
          {text.back}
        </Anchor>
      }
      live={live}
    >
      <Failure title={text.failure} failure={told.failure} />
      <Failure title={text.refusalFailure} failure={told.refusalFailure} />
      <WhoMustAct next={told.next} />
      <ConfirmationFacts told={told} />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Transcript transcript={told.transcript} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Stack gap="lg">
            <Timers told={told} askedAt={dataUpdatedAt} />
            <AnswerHistory answers={told.answers} />
            <Webhooks webhooks={told.webhooks} confirmationId={confirmationId} />
          </Stack>
        </Grid.Col>
      </Grid>
      <Timeline entries={told.timeline} />
    </Page>
  )
}

function Failure({ title, failure }: { title: string; failure: Told['failure'] }) {
  if (!failure) return null
  return (
    <Alert color="red" title={title}>
      <code>{failure.code}</code>
      <ServerSentence>{failure.message}</ServerSentence>
    </Alert>
  )
}

function ConfirmationFacts({ told: { confirmation, refusal } }: { told: Told }) {
  const text = useWords(confirmationWords)
  const { reschedule } = confirmation
  return (
    <Facts label={text.facts}>
      <Fact title={text.confirmation}>
        <CheckStatus status={confirmation.status} />
      </Fact>
      <Fact title={text.customer}>
        <Copyable text={confirmation.recipient} />
      </Fact>
      <Fact title={text.order}>
        <Copyable text={confirmation.reference} />
      </Fact>
      <Fact title={text.created}>
        <Time at={confirmation.createdAt} />
      </Fact>
      <Fact title={text.answeredAt}>
        {confirmation.answeredAt ? <Time at={confirmation.answeredAt} /> : text.notAnswered}
      </Fact>
      {reschedule && (
        <Fact title={text.newTime}>
          <NewTime reschedule={reschedule} />
        </Fact>
      )}
      <Fact title={text.template}>
        <NamedTemplate name={confirmation.templateName} language={confirmation.templateLanguage} />
      </Fact>
      <Fact title={text.sender}>
        <span className="as-typed">{confirmation.senderPhone}</span>
      </Fact>
      {refusal && <RefusalFacts refusal={refusal} />}
      <Fact title={text.key}>
        <MadeBy apiKeyId={confirmation.apiKeyId} apiKeyName={confirmation.apiKeyName} />
      </Fact>
      <Fact title={text.correlation}>
        <Copyable text={confirmation.correlationId} />
      </Fact>
      <Fact title={text.id}>
        <Copyable text={confirmation.id} />
      </Fact>
    </Facts>
  )
}

function RefusalFacts({ refusal }: { refusal: NonNullable<Told['refusal']> }) {
  const text = useWords(confirmationWords)
  const { status, reason, note, answeredAt, templateName, templateLanguage } = refusal
  return (
    <>
      <Fact title={text.refusal}>
        <CheckStatus status={status} />
      </Fact>
      {reason !== null && (
        <Fact title={`${text.refusal}: ${text.reason}`}>
          <bdi>{reason}</bdi>
        </Fact>
      )}
      {note !== null && (
        <Fact title={`${text.refusal}: ${text.note}`}>
          <bdi>{note}</bdi>
        </Fact>
      )}
      <Fact title={`${text.refusal}: ${text.answeredAt}`}>
        {answeredAt ? <Time at={answeredAt} /> : text.notAnswered}
      </Fact>
      <Fact title={`${text.refusal}: ${text.template}`}>
        <NamedTemplate name={templateName} language={templateLanguage} />
      </Fact>
    </>
  )
}
