import { Group, SegmentedControl, Stack, Text, Title, type TitleOrder } from '@mantine/core'
import { useState } from 'react'
import type { RouterOutputs } from '../api.ts'
import { useTexts } from '../texts/use-texts.ts'
import { CodeBlock } from '../ui/code-block.tsx'
import { AnchorLink } from '../ui/link.tsx'
import { Time } from '../ui/time.tsx'
import { useWorkspace } from '../ui/workspace.ts'
import { Separated } from '../ui/separated.tsx'
import { pretty } from './endpoint-state.ts'

export type DeliveryData = RouterOutputs['endpoints']['delivery']
type AttemptData = DeliveryData['tries'][number]

type AttemptProps = {
  attempt: AttemptData
  order: TitleOrder
  /** Retention removed the response together with the event's body. */
  isRemoved?: boolean
}

/** One request and its response. */
export function Attempt({ attempt, order, isRemoved = false }: AttemptProps) {
  const { t, n } = useTexts()
  const { clockOffsetMs } = useWorkspace()
  return (
    <Stack gap="sm">
      <Separated
        of={[
          <>
            {t('page_endpoints.started')}
            {t('page_shell.colon')}
            <Time at={attempt.startedAt} kind="past" form="second" />
          </>,
          <>
            {t('page_endpoints.took')}
            {t('page_shell.colon')}
            {t('page_endpoints.ms', { ms: n(attempt.durationMs) })}
          </>,
        ]}
      />
      <Stack gap={4}>
        <Title order={order} size="h6">
          {t('page_endpoints.request')}
        </Title>
        <CodeBlock
          text={[
            `POST ${attempt.url ?? '…'}`,
            ...attempt.headers.map(({ name, value }) => `${name}: ${value ?? 'v1,…'}`),
          ].join('\n')}
        />
        <Text size="sm" c="dimmed">
          {attempt.url === null && `${t('page_endpoints.earlier_url')} `}
          {clockOffsetMs > 0 && `${t('page_endpoints.real_timestamp')} `}
          {t('page_endpoints.signature_not_kept')}
        </Text>
      </Stack>
      <Stack gap={4}>
        <Title order={order} size="h6">
          {t('page_endpoints.response')}
        </Title>
        <Answer attempt={attempt} isRemoved={isRemoved} />
      </Stack>
    </Stack>
  )
}

function Answer({ attempt: { httpStatus, error, response }, isRemoved }: { attempt: AttemptData; isRemoved: boolean }) {
  const { t, textOf } = useTexts()
  return (
    <>
      <Text size="sm">
        {httpStatus === null ? t('page_endpoints.response_none') : <code>HTTP {httpStatus}</code>}{' '}
        <bdi>{error && textOf(error)}</bdi>
      </Text>
      {response !== null && (
        <>
          <Text size="sm" c="dimmed">
            {t('page_endpoints.response_first')}
          </Text>
          <CodeBlock text={response} maxHeight={240} />
        </>
      )}
      {httpStatus !== null && response === null && !isRemoved && (
        <Text size="sm" c="dimmed">
          {t('page_endpoints.response_empty')}
        </Text>
      )}
    </>
  )
}

/** The exact text that is signed and sent, or formatted. */
export function Body({ text: body }: { text: string }) {
  const { t } = useTexts()
  const [view, setView] = useState<'pretty' | 'raw'>('pretty')
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Title order={3} size="h5">
          {t('page_endpoints.body')}
        </Title>
        <SegmentedControl
          size="xs"
          aria-label={t('page_endpoints.body')}
          value={view}
          onChange={setView}
          data={[
            { value: 'pretty', label: t('page_endpoints.pretty') },
            { value: 'raw', label: t('page_endpoints.raw') },
          ]}
        />
      </Group>
      <CodeBlock text={view === 'pretty' ? pretty(body) : body} isCode />
    </Stack>
  )
}

type Sent = { endpointId: string; deliveryId: string }

/** A link to a delivery in its endpoint's log. With `about`, the log shows only the deliveries of that message or confirmation. */
export function LogLink({ of: { endpointId, deliveryId }, about, label }: { of: Sent; about?: string; label: string }) {
  return (
    <AnchorLink
      size="sm"
      to="/w/$workspaceId/endpoints/$endpointId"
      params={{ endpointId }}
      search={{ delivery: deliveryId, ...(about !== undefined && { about }) }}
    >
      {label}
    </AnchorLink>
  )
}
