import { Anchor, Badge, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Answers } from '../api.ts'
import { Time } from '../ui/time.tsx'
import { useWorkspace } from '../ui/workspace.ts'
import { useLanguage, useWords } from '../words.ts'
import { dayInUtc } from '../workspaces/allowances.tsx'
import { workspaceWords } from '../workspaces/words.ts'
import { overviewWords } from './words.ts'

type Attention = Answers['workspaces']['attention'][number]

/** In words, each with a link to where it is mended. */
export function AttentionList({ all, isSetUp }: { all: readonly Attention[]; isSetUp: boolean }) {
  const text = useWords(overviewWords)
  if (all.length === 0) return isSetUp ? <Text role="status">✓ {text.fine}</Text> : null
  return (
    <Stack component="section" gap="sm" aria-labelledby="attention">
      <Title order={2} size="h4" id="attention">
        {text.attention}
      </Title>
      <Stack component="ul" gap="xs" m={0} p={0} style={{ listStyle: 'none' }}>
        {all.map((each) => (
          <li key={JSON.stringify(each)}>
            <Paper withBorder p="md">
              <Group align="flex-start" justify="space-between" gap="sm">
                <Group align="flex-start" gap="sm" flex={1} miw={240}>
                  <Badge variant="light" miw={64} color={each.urgency === 'now' ? 'red' : 'yellow'}>
                    <Text span inherit c="var(--mantine-color-text)">
                      {text.urgencies[each.urgency]}
                    </Text>
                  </Badge>
                  <Stack gap={2} flex={1} miw={200}>
                    <Said of={each} />
                  </Stack>
                </Group>
                <Mend of={each} />
              </Group>
            </Paper>
          </li>
        ))}
      </Stack>
    </Stack>
  )
}

function Said({ of: it }: { of: Attention }) {
  const text = useWords(overviewWords)
  const { kinds } = useWords(workspaceWords)
  const { language } = useLanguage()
  switch (it.about) {
    case 'account':
      return <Line title={text.accountTitle(it.wabaId)}>{text.account}</Line>
    case 'sender':
      return (
        <Line title={text.senderTitle(it.phoneNumber)}>
          {text.obstacles[it.obstacle]} {it.obstacle === 'status' && <code>{it.status}</code>}
        </Line>
      )
    case 'template':
      return (
        <Line title={text.templateTitle(it.name, it.language)}>
          {text.templateStates[it.status as keyof typeof text.templateStates] ?? <code>{it.status}</code>}
        </Line>
      )
    case 'endpoint':
      return it.state === 'disabled' ? (
        <Line title={text.endpointDisabled(hostOf(it.url))}>
          {text.disabledAbout} <Time at={it.since} />
        </Line>
      ) : (
        <Line title={text.endpointFailing(hostOf(it.url))}>
          {text.failingAbout} <Time at={it.since} />
        </Line>
      )
    case 'allowance':
      return it.runsOutAt === null ? (
        <Line title={text.outTitle(kinds[it.kind])}>{text.out}</Line>
      ) : (
        <Line title={text.runsOutTitle(kinds[it.kind])}>
          {text.runsOut} {dayInUtc(language, it.runsOutAt)} (UTC)
        </Line>
      )
    case 'key':
      return (
        <Line title={text.keyTitle(it.name)}>
          {text.keyAbout} <Time at={it.expiresAt} />
        </Line>
      )
  }
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url)

function Line({ title, children }: { title: string; children: ReactNode }) {
  return (
    <>
      <Text fw={600}>{title}</Text>
      <Text size="sm">{children}</Text>
    </>
  )
}

function Mend({ of: it }: { of: Attention }) {
  const text = useWords(overviewWords)
  const { workspaceId } = useWorkspace()
  const label = text.mend[it.about]
  const to = (props: object): ReactNode => {
    switch (it.about) {
      case 'account':
      case 'sender':
        return <Link {...props} to="/w/$workspaceId/senders" params={{ workspaceId }} />
      case 'template': {
        const { accountId, name, language } = it
        return (
          <Link
            {...props}
            to="/w/$workspaceId/templates/$accountId/$name/$language"
            params={{ workspaceId, accountId, name, language }}
          />
        )
      }
      case 'endpoint':
        return (
          <Link
            {...props}
            to="/w/$workspaceId/endpoints/$endpointId"
            params={{ workspaceId, endpointId: it.endpointId }}
          />
        )
      case 'allowance':
        return <Link {...props} to="/w/$workspaceId/settings" params={{ workspaceId }} />
      case 'key':
        return <Link {...props} to="/w/$workspaceId/keys" params={{ workspaceId }} />
    }
  }
  return <Anchor renderRoot={to}>{label}</Anchor>
}
