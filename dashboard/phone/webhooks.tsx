import { Anchor, Group, Paper, Stack, Text, Title, UnstyledButton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { type Answers, api } from '../api.ts'
import { Body } from '../endpoints/body-view.tsx'
import { InLog } from '../endpoints/in-log.tsx'
import { StatusBadge } from '../endpoints/state-badge.tsx'
import { Failed } from '../ui/failed.tsx'
import { useWorkspace } from '../ui/workspace.ts'
import { useWords } from '../words.ts'
import style from './phone.module.css'
import { phoneWords } from './words.ts'

type Leaving = Answers['phone']['webhooks'][number]

/** What leaves to the caller's endpoints, the newest first. */
export function Webhooks() {
  const text = useWords(phoneWords)
  const { workspaceId } = useWorkspace()
  const { data } = useQuery(api.phone.webhooks.queryOptions({ workspaceId }))
  return (
    <Paper withBorder p="md" component="section" aria-labelledby="webhooks">
      <Stack gap="sm">
        <Title order={2} size="h4" id="webhooks">
          {text.webhooks}
        </Title>
        {data?.length === 0 && (
          <Text size="sm">
            {text.noWebhooks}{' '}
            <Anchor
              size="sm"
              renderRoot={(props) => <Link {...props} to="/w/$workspaceId/endpoints" params={{ workspaceId }} />}
            >
              {text.addEndpoint}
            </Anchor>
          </Text>
        )}
        <ul className={style.webhooks}>
          {data?.map((delivery) => (
            <li key={delivery.deliveryId}>
              <Webhook delivery={delivery} />
            </li>
          ))}
        </ul>
      </Stack>
    </Paper>
  )
}

function Webhook({ delivery }: { delivery: Leaving }) {
  const text = useWords(phoneWords)
  const [isOpen, setOpen] = useState(false)
  const { type, url, httpStatus, durationMs, error, attempts } = delivery
  const answer = httpStatus === null ? (error ?? (attempts > 0 ? text.noAnswer : text.notTried)) : `HTTP ${httpStatus}`
  return (
    <>
      <UnstyledButton className={style.webhook} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Group justify="space-between" gap="xs" wrap="nowrap">
          <code className={style.type}>{type}</code>
          <StatusBadge delivery={delivery} />
        </Group>
        <Text size="xs" c="dimmed" truncate>
          <span className="as-typed">{url.replace(/^https?:\/\//, '')}</span>
        </Text>
        <Text size="xs" c="dimmed">
          <bdi>{answer}</bdi>
          {durationMs !== null && (
            <>
              {' · '}
              <bdi dir="ltr">{durationMs} ms</bdi>
            </>
          )}
        </Text>
      </UnstyledButton>
      {isOpen && <Opened delivery={delivery} />}
    </>
  )
}

function Opened({ delivery }: { delivery: Leaving }) {
  const text = useWords(phoneWords)
  const { workspaceId } = useWorkspace()
  const { endpointId, deliveryId } = delivery
  const { data, error } = useQuery(api.endpoints.delivery.queryOptions({ workspaceId, endpointId, deliveryId }))
  return (
    <Stack gap="xs" pb="sm">
      {data && <Body text={data.body} />}
      {error && <Failed error={error} />}
      <InLog of={delivery} label={text.openDelivery} />
    </Stack>
  )
}
