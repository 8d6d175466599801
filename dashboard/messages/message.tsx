import { ChatBubble, ChatPaper } from '@doorcode/whatsapp-emulator/phone/bubble.tsx'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { isErased } from '../../src/lib/phone/erased-recipient.ts'
import type { RouterOutputs } from '../api.ts'
import { businessBubble } from '../confirmations/transcript.tsx'
import { pageQueries } from '../queries.ts'
import { tagOf } from '../texts/language.ts'
import { useTexts } from '../texts/use-texts.ts'
import { CopyCurl, MadeBy, PhoneButton, SenderLink, TemplateLink } from '../timeline/links.tsx'
import { NextStep } from '../timeline/next-step.tsx'
import { Timeline } from '../timeline/timeline.tsx'
import { CopyText, Copyable, PhoneNumber } from '../ui/as-typed.tsx'
import { Facts } from '../ui/facts.tsx'
import { AnchorLink } from '../ui/link.tsx'
import { Page } from '../ui/shell/page.tsx'
import { statusWord } from '../ui/state/status.ts'
import { Status } from '../ui/state/status.tsx'
import { Time } from '../ui/time.tsx'
import { useWorkspace } from '../ui/workspace.ts'
import classes from './message.module.css'
import { MessageKind } from './status.tsx'

type MessageData = RouterOutputs['messages']['get']

export function Message() {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const { messageId } = useParams({ from: '/w/$workspaceId/messages/$messageId' })
  const { data } = useSuspenseQuery(pageQueries.message({ workspaceId, messageId }))
  const { message, failure, timeline, next, events } = data
  const erased = isErased(message.recipient)
  return (
    <Page
      title={`${t('page_messages.page_title')} \u2066${erased ? t('page_shell.erased_recipient') : message.recipient}\u2069`}
      heading={
        !erased && (
          <>
            {t('page_messages.page_title')} <PhoneNumber of={message.recipient} />
          </>
        )
      }
      status={
        <>
          {!erased && <CopyText text={message.recipient} />}
          <Status of="message" value={message.status} />
        </>
      }
      back={
        <AnchorLink size="sm" to="/w/$workspaceId/messages">
          {t('page_messages.back')}
        </AnchorLink>
      }
      live
      actions={
        <>
          <PhoneButton phone={message.recipient} number={message.phoneNumberId} />
          {message.kind === 'otp' && !erased && <CopyCurl baseUrl={data.baseUrl} {...requestOf(data)} />}
        </>
      }
    >
      <NextStep
        next={next}
        failure={failure}
        webhooks={events.flatMap(({ webhooks }) => webhooks)}
        {...(isDone(data) && { done: <Arrived data={data} /> })}
      />
      <div className={classes['parts']}>
        <Content data={data} />
        <div className={classes['facts']}>
          <MessageFacts data={data} />
        </div>
        <Timeline entries={timeline} isOpen />
      </div>
    </Page>
  )
}

const isDone = ({ next: { sentence } }: MessageData): boolean =>
  sentence.code === 'explain.no_action' &&
  typeof sentence.why === 'object' &&
  'code' in sentence.why &&
  sentence.why.code === 'explain.why_arrived'

/** "Delivered 3 min ago. No action needed." */
function Arrived({ data: { message, timeline } }: { data: MessageData }) {
  const texts = useTexts()
  const report = timeline.findLast(({ what, report }) => what === 'report' && report === message.status)
  return (
    <>
      {statusWord(texts, 'message', message.status)}
      {report && (
        <>
          {' '}
          <Time at={report.at} kind="workspace" form="relative" />
        </>
      )}
      {'. '}
      {texts.t('page_timeline.no_action')}
    </>
  )
}

/** In place of the code, which no page shows: WhatsApp would get a code that the backend does not expect. */
const CODE = '<code>'

/** The request of a one-time code, with a place for the code, or of its verification. */
function requestOf({ message, verification }: MessageData): { path: string; body: object } {
  const { recipient: to, senderId, templateName: name, templateLanguage: language, reference } = message
  const { verificationId, deliverWithinSeconds } = message
  if (verificationId !== null) return { path: `/otp/verifications/${verificationId}/resend`, body: {} }
  const optional = {
    ...(reference !== null && { reference }),
    ...(deliverWithinSeconds !== null && { deliverWithinSeconds }),
  }
  const body = { to, senderId, template: { name, language }, ...optional }
  return verification
    ? { path: '/otp/verifications', body: { ...body, length: verification.codeLength } }
    : { path: '/otp/messages', body: { ...body, code: CODE } }
}

function MessageFacts({ data: { message, verification } }: { data: MessageData }) {
  const { t, n } = useTexts()
  const { verificationId } = message
  const { confirmationId, templateName, templateLanguage, reference, sentAt, accountId } = message
  const { correlationId, apiKeyId, apiKeyName, providerMessageId } = message
  return (
    <Facts
      label={t('page_messages.facts')}
      form="column"
      of={[
        [t('page_messages.kind'), <MessageKind message={message} />],
        reference !== null && confirmationId === null && [t('page_messages.reference'), <Copyable text={reference} />],
        confirmationId !== null && [
          t('page_messages.confirmation'),
          <AnchorLink size="sm" to="/w/$workspaceId/confirmations/$confirmationId" params={{ confirmationId }}>
            <bdi>{reference ?? t('page_messages.to_confirmation')}</bdi>
          </AnchorLink>,
        ],
        [t('page_messages.created'), <Time at={message.createdAt} kind="workspace" />],
        [
          t('page_messages.sent'),
          sentAt ? (
            <Time at={sentAt} kind="workspace" />
          ) : message.status === 'failed' ? (
            t(providerMessageId === null ? 'page_messages.never_sent' : 'page_messages.not_delivered')
          ) : (
            t('page_messages.not_sent')
          ),
        ],
        verification !== null && [
          t('page_messages.verification'),
          t(`page_messages.verification_${verification.status}`),
        ],
        verification !== null && [
          t('page_messages.wrong_codes'),
          t('page_shell.used_of', { used: n(verification.wrongAt.length), max: n(verification.maxAttempts) }),
        ],
        verification !== null && [t('page_messages.expires'), <Time at={verification.expiresAt} kind="workspace" />],
        verificationId !== null && [
          t('page_messages.verification'),
          <AnchorLink size="sm" to="/w/$workspaceId/messages/$messageId" params={{ messageId: verificationId }}>
            {t('page_messages.sent_again')}
          </AnchorLink>,
        ],
        [t('page_messages.sender'), <SenderLink phone={message.senderPhone} />],
        templateName !== null &&
          templateLanguage !== null && [
            t('page_messages.template'),
            <TemplateLink accountId={accountId} name={templateName} language={templateLanguage} />,
          ],
        apiKeyId !== null && [t('page_messages.key'), <MadeBy apiKeyId={apiKeyId} apiKeyName={apiKeyName} />],
        [t('page_messages.id'), <Copyable text={message.id} cut />],
        correlationId !== null && [t('page_messages.correlation'), <Copyable text={correlationId} cut />],
        providerMessageId !== null && [t('page_messages.provider_id'), <Copyable text={providerMessageId} cut />],
      ]}
    />
  )
}

/** What the customer reads, as a phone shows it. */
export function Content({ data: { message, displayed } }: { data: MessageData }) {
  const texts = useTexts()
  const { templateLanguage: language, status } = message
  const bubble = businessBubble({ ...displayed, language, status }, '', texts)
  return (
    <section aria-label={texts.t('page_messages.content')} data-testid="content">
      <div {...(language !== null && { lang: tagOf(language) })}>
        <ChatPaper>
          <ChatBubble bubble={bubble} />
        </ChatPaper>
      </div>
    </section>
  )
}
