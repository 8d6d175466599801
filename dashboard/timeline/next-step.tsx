import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { type CodedText, coded } from '../../locales/text.ts'
import type { NextAction } from '../../src/explain/next-action.ts'
import type { FailureCode } from '../../src/providers/failure-codes.ts'
import { useTexts } from '../texts/use-texts.ts'
import { ButtonLink } from '../ui/link.tsx'
import { STATE_COLOURS } from '../ui/state/status.ts'
import { CodeLink, OutcomeBanner, QuietOutcome } from '../ui/state/status.tsx'
import { ServerSentence } from './timeline.tsx'

type Failure = { code: FailureCode; text: CodedText }
type Webhook = { endpointId: string; url: string }

type Outcome = {
  next: NextAction
  failure: Failure | null
  webhooks: readonly Webhook[]
  /** Replaces the sentence when no one must act and the page can say more. */
  done?: ReactNode
}

/** The outcome in one line; a banner only where someone must act or something failed. */
export function NextStep({ next, failure, webhooks, done }: Outcome) {
  const { t, has } = useTexts()
  const { who, sentence } = next
  const acts = who === 'client' || who === 'operator'
  if (!acts && failure === null) {
    return (
      <QuietOutcome tone={STATE_COLOURS.actor[who]}>{done ?? <ServerSentence>{sentence}</ServerSentence>}</QuietOutcome>
    )
  }
  const short = `failures.${failure?.code.toLowerCase()}_short`
  const actor = acts ? t(`page_timeline.${who}`) : undefined
  const title =
    failure && has(short) ? t(short) : `${t('page_timeline.next_title')}${t('page_shell.colon')}${actor ?? ''}`
  return (
    <OutcomeBanner
      tone={failure ? 'failure' : STATE_COLOURS.actor[who]}
      title={title}
      action={<NextLink next={next} failure={failure} webhooks={webhooks} />}
    >
      <div>
        {failure && actor !== undefined && (
          <Text span inherit fw={600}>
            {actor}
            {t('page_shell.colon')}
          </Text>
        )}
        <ServerSentence>{forPages(sentence)}</ServerSentence>
      </div>
      {failure && <CodeLink code={failure.code} />}
    </OutcomeBanner>
  )
}

/** For a page, which links to the endpoint where the sentence names a command. */
function forPages(sentence: CodedText): CodedText {
  if (sentence.code === 'explain.held') {
    const { url, endpointStatus, reason } = sentence
    return coded('page_timeline.next_held', { url, endpointStatus, reason })
  }
  if (sentence.code === 'explain.was_held') return coded('page_timeline.next_was_held', { url: sentence.url })
  if (sentence.code === 'explain.delivery_failed') {
    const { url, fault } = sentence
    return coded('page_timeline.next_delivery_failed', { url, fault })
  }
  return sentence
}

const PAGES: Readonly<Partial<Record<FailureCode, 'senders' | 'templates'>>> = {
  SENDER_UNAVAILABLE: 'senders',
  SENDER_RATE_LIMITED: 'senders',
  PROVIDER_CREDENTIALS_INVALID: 'senders',
  POLICY_VIOLATION: 'senders',
  TEMPLATE_NOT_FOUND: 'templates',
  TEMPLATE_PAUSED: 'templates',
  TEMPLATE_DISABLED: 'templates',
  TEMPLATE_PARAMETERS_REJECTED: 'templates',
}

/** A link to the page where the next action can be done. */
function NextLink({ next: { sentence }, failure, webhooks }: Outcome) {
  const { t } = useTexts()
  const url = 'url' in sentence ? sentence.url : undefined
  const endpoint = url === undefined ? undefined : webhooks.find((each) => each.url === url)
  if (endpoint) {
    const { endpointId } = endpoint
    return (
      <ButtonLink variant="default" to="/w/$workspaceId/endpoints/$endpointId" params={{ endpointId }}>
        {t('page_timeline.open_endpoint')}
      </ButtonLink>
    )
  }
  const page = sentence.code === 'explain.unavailable' ? 'senders' : failure && PAGES[failure.code]
  if (!page) return null
  return (
    <ButtonLink variant="default" to={`/w/$workspaceId/${page}`}>
      {t(`page_timeline.open_${page}`)}
    </ButtonLink>
  )
}
