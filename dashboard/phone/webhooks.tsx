import { Group, Paper, Stack, Text, Title, UnstyledButton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type RouterOutputs, api } from '../api.ts'
import { Body, LogLink } from '../endpoints/delivery-parts.tsx'
import { StatusBadge } from '../endpoints/endpoint-health.tsx'
import { useTexts } from '../texts/use-texts.ts'
import { withoutScheme } from '../ui/as-typed.tsx'
import { Failed } from '../ui/fallback.tsx'
import { AnchorLink } from '../ui/link.tsx'
import { Time } from '../ui/time.tsx'
import { useWorkspace } from '../ui/workspace.ts'
import { Separated } from '../ui/separated.tsx'
import style from './phone.module.css'

/** As many as fit next to the phone. */
const SHOWN = 6

type PhoneWebhook = RouterOutputs['phone']['webhooks'][number]

/** Webhooks to the client's endpoints, newest first. */
export function Webhooks() {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const { data } = useQuery(api.phone.webhooks.queryOptions({ workspaceId }))
  return (
    <Paper withBorder p="md" component="section" aria-labelledby="webhooks">
      <Stack gap="sm">
        <Title order={2} size="h4" id="webhooks">
          {t('page_phone.webhooks')}
        </Title>
        {data?.length === 0 && (
          <Text size="sm">
            {t('page_phone.no_webhooks')}{' '}
            <AnchorLink size="sm" to="/w/$workspaceId/endpoints">
              {t('page_phone.add_endpoint')}
            </AnchorLink>
          </Text>
        )}
        <ul className={style.webhooks}>
          {data?.slice(0, SHOWN).map((delivery) => (
            <li key={delivery.deliveryId}>
              <Webhook delivery={delivery} />
            </li>
          ))}
        </ul>
        {data && data.length > SHOWN && (
          <AnchorLink size="sm" to="/w/$workspaceId/endpoints">
            {t('page_phone.all_webhooks')}
          </AnchorLink>
        )}
      </Stack>
    </Paper>
  )
}

function Webhook({ delivery }: { delivery: PhoneWebhook }) {
  const { t, n, textOf } = useTexts()
  const [isOpen, setOpen] = useState(false)
  const { type, url, httpStatus, durationMs, error, attempts } = delivery
  const noAnswer = attempts > 0 ? t('page_phone.no_answer') : t('page_phone.not_tried')
  const answer = httpStatus === null ? (error ? textOf(error) : noAnswer) : `HTTP ${httpStatus}`
  return (
    <>
      <UnstyledButton className={style.webhook} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Group justify="space-between" gap="xs" wrap="nowrap">
          <code className={style.type}>{type}</code>
          <StatusBadge delivery={delivery} />
        </Group>
        <Text size="xs" c="dimmed" truncate>
          <span className="as-typed">{withoutScheme(url)}</span>
        </Text>
        <Separated
          size="xs"
          c="dimmed"
          of={[
            <Time at={delivery.createdAt} kind="past" form="relative" />,
            <bdi>{answer}</bdi>,
            durationMs !== null && t('page_endpoints.ms', { ms: n(durationMs) }),
          ]}
        />
      </UnstyledButton>
      {isOpen && <Opened delivery={delivery} />}
    </>
  )
}

function Opened({ delivery }: { delivery: PhoneWebhook }) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const { endpointId, deliveryId } = delivery
  const { data, error } = useQuery(api.endpoints.delivery.queryOptions({ workspaceId, endpointId, deliveryId }))
  return (
    <Stack gap="xs" pb="sm">
      {data && <Body text={data.body} />}
      {error && <Failed error={error} />}
      <LogLink of={delivery} label={t('page_phone.open_delivery')} />
    </Stack>
  )
}
