import { Anchor } from '@mantine/core'
import { Fragment, createContext, use } from 'react'
import { visibleText } from '../../locales/visible-text.ts'
import { resourceOf } from '../../src/admin/audit/actions.ts'
import type { ExportedListName } from '../../src/admin/export/lists.ts'
import { isErased } from '../../src/lib/phone/erased-recipient.ts'
import type { RouterOutputs } from '../api.ts'
import { type PageTexts, useTexts } from '../texts/use-texts.ts'
import { PhoneNumber, withoutScheme } from '../ui/as-typed.tsx'
import { type LinkOf, linkTo } from '../ui/link.tsx'
import { actionIn, sentenceCodeOf, whoText } from './action.ts'

/** Placeholders for the words of the entry. No sentence contains these characters. */
const [WHO, TARGET] = ['{who}', '{target}'] as const

/** The names of the workspace's people, by their addresses. */
export const NamesContext = createContext<ReadonlyMap<string, string>>(new Map())

/** Who did what, and to what. A person of the workspace has their name, and their address as a tooltip. */
export function Sentence({ entry }: { entry: Entry }) {
  const texts = useTexts()
  const name = use(NamesContext).get(entry.who)
  return sentenceOf(entry, texts, { who: WHO, target: TARGET })
    .split(/(\{who\}|\{target\})/)
    .map((part, index) => (
      <Fragment key={index}>
        {part === WHO ? (
          <bdi title={name && entry.who}>
            <b>{name ?? whoText(entry.who, texts)}</b>
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

function sentenceOf({ action }: Entry, texts: PageTexts, words: { who: string; target: string }): string {
  const code = sentenceCodeOf(action, texts)
  return code ? texts.t(code, words) : `${words.who}${texts.t('page_shell.colon')}${actionIn(action, texts)}`
}

export type Entry = RouterOutputs['auditLog']['list']['entries'][number]

/** What the entry is about, by its name or, without one, by its id. */
function TargetLink({ entry }: { entry: Entry }) {
  const texts = useTexts()
  const { t } = texts
  const text = targetName(entry, texts)
  // Digits have no direction: in Arabic, the plus would follow the number.
  const name = /^[+\d]/.test(text) ? <PhoneNumber of={text} /> : <bdi>{text}</bdi>
  if (entry.isDeleted || GONE.has(entry.action))
    return (
      <>
        <b>{name}</b> ({t('page_audit_log.deleted')})
      </>
    )
  const link = pageOf(entry)
  return link ? (
    <Anchor size="sm" fw={500} renderRoot={link}>
      {name}
    </Anchor>
  ) : (
    <b>{name}</b>
  )
}

const GONE: ReadonlySet<string> = new Set(['account.removed', 'endpoint.deleted', 'template.deleted'])

const QUOTAS: Readonly<Record<string, 'otp' | 'confirmation' | 'refusal'>> = {
  otp: 'otp',
  cod_confirmation: 'confirmation',
  cod_refusal: 'refusal',
}

function targetName({ action, target, name }: Entry, { t }: PageTexts): string {
  const quota = QUOTAS[target]
  if (action === 'quota.changed' && quota) return t(`page_audit_log.values_use_${quota}`)
  if (action === 'cod_settings.changed') return t('page_audit_log.cod_settings_name')
  if (action === 'list.exported' && isListName(target)) return t(LISTS[target].title)
  if (isErased(name ?? '')) return t('page_shell.erased_recipient')
  return visibleText(withoutScheme(name ?? target))
}

const CHARTS = '/w/$workspaceId/charts'

const LISTS = {
  messages: { title: 'page_shell.messages', to: '/w/$workspaceId/messages' },
  confirmations: { title: 'page_shell.confirmations', to: '/w/$workspaceId/confirmations' },
  deliveries: { title: 'page_audit_log.deliveries_name', to: '/w/$workspaceId/endpoints' },
  blocked: { title: 'page_shell.blocked', to: '/w/$workspaceId/blocked' },
  keys: { title: 'page_shell.keys', to: '/w/$workspaceId/keys' },
  endpoints: { title: 'page_shell.endpoints', to: '/w/$workspaceId/endpoints' },
  senders: { title: 'page_shell.senders', to: '/w/$workspaceId/senders' },
  templates: { title: 'page_shell.templates', to: '/w/$workspaceId/templates' },
  people: { title: 'page_shell.people', to: '/w/$workspaceId/people' },
  'audit-log': { title: 'page_shell.audit', to: '/w/$workspaceId/audit' },
  'messages-by-day': { title: 'page_charts.messages', to: CHARTS },
  'code-funnel': { title: 'page_charts.funnel', to: CHARTS },
  verifications: { title: 'page_charts.verifications', to: CHARTS },
  'failures-by-cause': { title: 'page_charts.failures', to: CHARTS },
  'answers-by-day': { title: 'page_charts.answers', to: CHARTS },
  'answer-times': { title: 'page_charts.answer_times', to: CHARTS },
  reminders: { title: 'page_charts.reminder', to: CHARTS },
  'refusal-checks': { title: 'page_charts.refusals', to: CHARTS },
  'refusal-reasons': { title: 'page_charts.reasons', to: CHARTS },
} as const satisfies Readonly<Record<ExportedListName, { title: string; to: string }>>

const isListName = (text: string): text is keyof typeof LISTS => Object.hasOwn(LISTS, text)

/** `login_code (en_US)` */
const TEMPLATE = /^(.+) \((\S+)\)$/

/** Returns undefined if the target has no page. */
function pageOf({ action, target, before, after, ...entry }: Entry): LinkOf | undefined {
  switch (resourceOf(action)) {
    case 'account':
    case 'sender':
      return linkTo({ to: '/w/$workspaceId/senders' })
    case 'cod_settings':
      return linkTo({ to: '/w/$workspaceId/cod-settings' })
    case 'endpoint':
      return linkTo({ to: '/w/$workspaceId/endpoints/$endpointId', params: { endpointId: target } })
    case 'hook':
      return linkTo({ to: '/w/$workspaceId/hooks' })
    case 'key':
      return linkTo({ to: '/w/$workspaceId/keys' })
    case 'list':
      return isListName(target) ? linkTo({ to: LISTS[target].to }) : undefined
    case 'message':
      return linkTo({ to: '/w/$workspaceId/messages/$messageId', params: { messageId: target } })
    case 'confirmation':
      return linkTo({
        to: '/w/$workspaceId/confirmations/$confirmationId',
        params: { confirmationId: target },
      })
    case 'person':
      return linkTo({ to: '/w/$workspaceId/people' })
    case 'recipient':
      if (action === 'recipient.erased' || action === 'recipient.exported') return undefined
      return linkTo({ to: '/w/$workspaceId/blocked' })
    case 'template': {
      const [, name, language] = TEMPLATE.exec(target) ?? []
      const accountId = (after ?? before)?.['accountId']
      if (!name || !language || typeof accountId !== 'string') return undefined
      return linkTo({
        to: '/w/$workspaceId/templates/$accountId/$name/$language',
        params: { accountId, name, language },
      })
    }
    case 'workspace':
      return action === 'quarantine.released' || entry.name !== null
        ? undefined
        : linkTo({ to: '/w/$workspaceId/settings' })
    case 'instance':
    case undefined:
      return undefined
  }
}
