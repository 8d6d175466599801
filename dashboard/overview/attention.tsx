import { Button, Group, Paper, Stack, Text, VisuallyHidden } from '@mantine/core'
import type { ReactNode } from 'react'
import { coded } from '../../locales/text.ts'
import type { FailureCode } from '../../src/providers/failure-codes.ts'
import type { RouterOutputs } from '../api.ts'
import { dayInUtc } from '../texts/formats.ts'
import { translateWord, useTexts } from '../texts/use-texts.ts'
import { withoutScheme } from '../ui/as-typed.tsx'
import { Section } from '../ui/facts.tsx'
import { type LinkOf, linkTo } from '../ui/link.tsx'
import { phoneText } from '@doorcode/whatsapp-emulator/wire/phone-groups.ts'
import { STATE_COLOURS } from '../ui/state/status.ts'
import { CodeLink, dotOf } from '../ui/state/status.tsx'
import { Time } from '../ui/time.tsx'
import classes from './overview.module.css'

type Attention = RouterOutputs['workspaces']['attention'][number]

/** Each item links to the page where it can be fixed. */
export function AttentionList({ all, isSetUp }: { all: readonly Attention[]; isSetUp: boolean }) {
  const { t } = useTexts()
  if (all.length === 0) return isSetUp ? <Text role="status">✓ {t('page_overview.fine')}</Text> : null
  return (
    <Section title={t('page_overview.attention')} gap="sm">
      <Stack component="ul" gap="xs" m={0} p={0} style={{ listStyle: 'none' }}>
        {all.map((each) => (
          <li key={JSON.stringify(each)}>
            <Paper withBorder p="md">
              <Group align="flex-start" justify="space-between" gap="sm">
                <Group align="flex-start" gap="sm" flex={1} miw={240}>
                  <span
                    className={classes['level']}
                    data-level={each.level}
                    style={dotOf(STATE_COLOURS.level[each.level])}
                  >
                    <VisuallyHidden component="span">{t(`page_overview.level_${each.level}`)}</VisuallyHidden>
                  </span>
                  <Stack gap={2} flex={1} miw={200}>
                    <Reported of={each} />
                  </Stack>
                </Group>
                {each.about !== 'quarantine' && <Fix of={each} />}
              </Group>
            </Paper>
          </li>
        ))}
      </Stack>
    </Section>
  )
}

function Reported({ of: it }: { of: Attention }) {
  const texts = useTexts()
  const { t, language } = texts
  switch (it.about) {
    case 'account':
      return it.status === 'credentials_unreadable' ? (
        <Line title={t('page_overview.unreadable_title', { waba: it.wabaId })}>{t('page_overview.unreadable')}</Line>
      ) : (
        <Line title={t('page_overview.account_title', { waba: it.wabaId })}>
          {t('page_overview.account')} <CodeLink code="PROVIDER_CREDENTIALS_INVALID" />
        </Line>
      )
    case 'sender':
      return (
        <Line title={t('page_overview.sender_title', { phone: phoneText(it.phoneNumber) })}>
          {t(`page_overview.obstacles_${it.obstacle}`)} {it.obstacle === 'status' && <code>{it.status}</code>}
        </Line>
      )
    case 'template': {
      const templateCode = TEMPLATE_CODES[it.status]
      return (
        <Line title={t('page_overview.template_title', { name: it.name, language: it.language })}>
          {translateWord(texts, 'page_overview.template_states', it.status)}{' '}
          {templateCode !== undefined && <CodeLink code={templateCode} />}
        </Line>
      )
    }
    case 'endpoint':
      return it.state === 'disabled' ? (
        <Line title={t('page_overview.endpoint_disabled', { url: withoutScheme(it.url) })}>
          {t('page_overview.disabled_about')} <Time at={it.since} kind="past" />
        </Line>
      ) : (
        <Line title={t('page_overview.endpoint_failing', { url: withoutScheme(it.url) })}>
          {t('page_overview.failing_about')} <Time at={it.since} kind="due" />
        </Line>
      )
    case 'quota':
      return it.runsOutAt === null ? (
        <Line title={t('page_overview.out_title', { kind: coded(`page_workspaces.kinds_${it.kind}`) })}>
          {t('page_overview.out')} <CodeLink code={it.kind === 'otp' ? 'OTP_QUOTA_EXCEEDED' : 'COD_QUOTA_EXCEEDED'} />
        </Line>
      ) : (
        <Line title={t('page_overview.runs_out_title', { kind: coded(`page_workspaces.kinds_${it.kind}`) })}>
          {t('page_overview.runs_out')} {dayInUtc(language, it.runsOutAt)} (UTC)
        </Line>
      )
    case 'quarantine':
      return (
        <Line title={t('page_overview.quarantine_title', { number: it.count })}>{t('page_overview.quarantine')}</Line>
      )
    case 'pumping':
      return (
        <Line title={t('page_overview.pumping_title', { prefix: it.prefix })}>
          {t('page_overview.pumping', { started: it.started, approved: it.approved })}{' '}
          <CodeLink code="OTP_PUMPING_SUSPECTED" />
        </Line>
      )
    case 'guessing':
      return (
        <Line title={t('page_overview.guessing_title')}>
          {t('page_overview.guessing', { right: it.right, wrong: it.wrong })} <CodeLink code="OTP_GUESSING_SUSPECTED" />
        </Line>
      )
    case 'key':
      return (
        <Line title={t('page_overview.key_title', { name: it.name })}>
          {t('page_overview.key_about')} <Time at={it.expiresAt} kind="due" />
        </Line>
      )
  }
}

/** The failure codes of messages that use such a template. */
const TEMPLATE_CODES: Readonly<Record<string, FailureCode>> = {
  PAUSED: 'TEMPLATE_PAUSED',
  DISABLED: 'TEMPLATE_DISABLED',
}

function Line({ title, children }: { title: string; children: ReactNode }) {
  return (
    <>
      <Text fw={600}>{title}</Text>
      <Text size="sm">{children}</Text>
    </>
  )
}

function Fix({ of: it }: { of: Exclude<Attention, { about: 'quarantine' }> }) {
  const { t } = useTexts()
  return (
    <Button variant="default" size="xs" renderRoot={pageOf(it)}>
      {t(`page_overview.fix_${it.about}`)}
    </Button>
  )
}

function pageOf(it: Exclude<Attention, { about: 'quarantine' }>): LinkOf {
  switch (it.about) {
    case 'account':
    case 'sender':
      return linkTo({ to: '/w/$workspaceId/senders' })
    case 'template': {
      const { accountId, name, language } = it
      return linkTo({
        to: '/w/$workspaceId/templates/$accountId/$name/$language',
        params: { accountId, name, language },
      })
    }
    case 'endpoint':
      return linkTo({ to: '/w/$workspaceId/endpoints/$endpointId', params: { endpointId: it.endpointId } })
    case 'guessing':
    case 'pumping':
      return linkTo({ to: '/w/$workspaceId/messages' })
    case 'quota':
      return linkTo({ to: '/w/$workspaceId/settings' })
    case 'key':
      return linkTo({ to: '/w/$workspaceId/keys' })
  }
}
