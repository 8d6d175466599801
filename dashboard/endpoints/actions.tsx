import { Alert, Button, Group, Loader, Modal, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, queryClient } from '../api.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Confirmation, TypedConfirmation } from '../ui/dialog/confirm-dialog.tsx'
import { SecretDialog } from '../ui/dialog/secret-dialog.tsx'
import { Failed } from '../ui/fallback.tsx'
import { type RowAction, RowMenu } from '../ui/list/list.tsx'
import { QuietOutcome } from '../ui/state/status.tsx'
import { Time } from '../ui/time.tsx'
import { showUndo } from '../ui/undo.tsx'
import { useWorkspace } from '../ui/workspace.ts'
import { Attempt, Body } from './delivery-parts.tsx'
import type { EndpointData } from './endpoint-health.tsx'
import { answerOf, arrived, stateOf } from './endpoint-state.ts'
import { refreshEndpoint, resendAll } from './resend.ts'
import { EndpointSettings, SecretOnce } from './settings-form.tsx'

type Act = 'edit' | 'pause' | 'rotate' | 'delete'

/** What can be done with an endpoint: a test event, and the rest behind one button. */
export function Actions({ endpoint, name }: { endpoint: EndpointData; name: string }) {
  const { t } = useTexts()
  const [act, setAct] = useState<Act | null>(null)
  const isEnabled = endpoint.status === 'enabled'
  const close = (): void => setAct(null)
  const menu: (RowAction | false)[] = [
    { label: t('page_endpoints.edit'), run: () => setAct('edit') },
    isEnabled && { label: t('page_endpoints.pause'), run: () => setAct('pause') },
    { label: t('page_endpoints.rotate'), run: () => setAct('rotate') },
    { label: t('page_endpoints.delete'), isDangerous: true, run: () => setAct('delete') },
  ]
  return (
    <>
      {isEnabled && <Ping endpointId={endpoint.endpointId} isMain={stateOf(endpoint) === 'enabled'} />}
      <RowMenu
        isLarge
        label={t('page_endpoints.actions_for', { name })}
        actions={menu.filter((action) => action !== false)}
      />
      <Modal opened={act === 'edit'} onClose={close} title={t('page_endpoints.edit_title')} size="lg">
        <Edit endpoint={endpoint} onDone={close} />
      </Modal>
      <Modal opened={act === 'pause'} onClose={close} title={t('page_endpoints.pause_title')}>
        <Pause endpointId={endpoint.endpointId} onDone={close} />
      </Modal>
      <Rotate endpointId={endpoint.endpointId} opened={act === 'rotate'} onClose={close} />
      <Modal opened={act === 'delete'} onClose={close} title={t('page_endpoints.delete_title')}>
        <Delete endpoint={endpoint} onDone={close} />
      </Modal>
    </>
  )
}

function Edit({ endpoint, onDone }: { endpoint: EndpointData; onDone: () => void }) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const { endpointId, allowsHttp } = endpoint
  const update = useMutation(api.endpoints.update.mutationOptions({ onSuccess: refreshEndpoint }))
  return (
    <Stack>
      <Text size="sm">{t('page_endpoints.edit_about')}</Text>
      <EndpointSettings
        initial={endpoint}
        allowsHttp={allowsHttp}
        yes={t('page_endpoints.save')}
        onSave={async (settings) => {
          await update.mutateAsync({ workspaceId, endpointId, ...settings })
          onDone()
        }}
      />
    </Stack>
  )
}

function Delete({ endpoint: { endpointId, url }, onDone }: { endpoint: EndpointData; onDone: () => void }) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const remove = useMutation(api.endpoints.remove.mutationOptions({ onSuccess: refreshEndpoint }))
  return (
    <TypedConfirmation
      name={new URL(url).host}
      yes={t('page_endpoints.delete')}
      doing={remove}
      onYes={(host) => remove.mutateAsync({ workspaceId, endpointId, host })}
      onClose={onDone}
    >
      <Text size="sm">{t('page_endpoints.delete_ask')}</Text>
    </TypedConfirmation>
  )
}

function Pause({ endpointId, onDone }: { endpointId: string; onDone: () => void }) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const { mutateAsync: pause } = useMutation(api.endpoints.pause.mutationOptions())
  const resume = useResume(endpointId)
  const pausing = useMutation({
    async mutationFn() {
      const { held } = await countMissed({ workspaceId, endpointId })
      await pause({ workspaceId, endpointId })
      return held
    },
    onSuccess(heldBefore) {
      onDone()
      // What was held before must stay held, and looks like what the pause holds.
      if (heldBefore === 0) showUndo(t('page_endpoints.paused_title'), resume)
      return refreshEndpoint()
    },
  })
  return (
    <Confirmation doing={pausing} yes={t('page_endpoints.pause')} onYes={() => pausing.mutate()} onNo={onDone}>
      <Text size="sm">{t('page_endpoints.pause_ask')}</Text>
    </Confirmation>
  )
}

const countMissed = (id: { workspaceId: string; endpointId: string }) =>
  queryClient.fetchQuery({ ...api.endpoints.missed.queryOptions(id), staleTime: 0 })

/** Enables the endpoint, and sends what the pause held. */
function useResume(endpointId: string): () => Promise<void> {
  const { workspaceId } = useWorkspace()
  const { mutateAsync: enable } = useMutation(api.endpoints.enable.mutationOptions())
  const { mutateAsync: resend } = useMutation(api.endpoints.resendChosen.mutationOptions())
  return async () => {
    const { at } = await countMissed({ workspaceId, endpointId })
    await enable({ workspaceId, endpointId })
    await resendAll({
      next: () => resend({ workspaceId, endpointId, statuses: ['held'], at }),
      onProgress: () => {},
      stopped: () => false,
    })
    await refreshEndpoint()
  }
}

type RotateProps = { endpointId: string; opened: boolean; onClose: () => void }

function Rotate({ endpointId, opened, onClose }: RotateProps) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const rotate = useMutation(api.endpoints.rotate.mutationOptions({ onSuccess: refreshEndpoint }))
  const done = (): void => {
    onClose()
    rotate.reset() // removes the secret from the page when its dialog closes
  }
  return (
    <SecretDialog
      opened={opened}
      onClose={done}
      title={rotate.data ? t('page_endpoints.rotate') : t('page_endpoints.rotate_title')}
      size="lg"
    >
      {rotate.data ? (
        <Stack>
          <Text size="sm">
            {t('page_endpoints.rotate_done')} <Time at={rotate.data.previousSecretUntil} kind="due" />
          </Text>
          <SecretOnce secret={rotate.data.secret} onDone={done} />
        </Stack>
      ) : (
        <Confirmation
          doing={rotate}
          yes={t('page_endpoints.rotate')}
          onYes={() => rotate.mutate({ workspaceId, endpointId })}
          onNo={done}
        >
          <Text size="sm">{t('page_endpoints.rotate_ask')}</Text>
        </Confirmation>
      )}
    </SecretDialog>
  )
}

const POLL_INTERVAL_MS = 500
/** Longer than an attempt may take (15 s). After that, only the log has the result. */
const PATIENCE_MS = 20_000

/** Sends a test event, waits for the result, and shows request and response. `isMain`: whether it is the page's main action. */
function Ping({ endpointId, isMain }: { endpointId: string; isMain: boolean }) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const ping = useMutation(api.endpoints.ping.mutationOptions({ onSettled: refreshEndpoint }))
  return (
    <>
      <Button
        variant={isMain ? 'filled' : 'default'}
        loading={ping.isPending}
        onClick={() => ping.mutate({ workspaceId, endpointId })}
      >
        {t('page_endpoints.ping')}
      </Button>
      <Modal
        opened={ping.isSuccess || ping.isError}
        onClose={ping.reset}
        title={t('page_endpoints.ping_title')}
        size="xl"
      >
        {ping.error && <Failed error={ping.error} />}
        {ping.data && (
          <PingResult key={ping.data.deliveryId} endpointId={endpointId} deliveryId={ping.data.deliveryId} />
        )}
      </Modal>
    </>
  )
}

function PingResult({ endpointId, deliveryId }: { endpointId: string; deliveryId: string }) {
  const texts = useTexts()
  const { t, n } = texts
  const { workspaceId } = useWorkspace()
  const [since] = useState(Date.now)
  const isOver = (updatedAt: number): boolean => updatedAt - since >= PATIENCE_MS
  const { data, error, dataUpdatedAt, refetch } = useQuery({
    ...api.endpoints.delivery.queryOptions({ workspaceId, endpointId, deliveryId }),
    staleTime: 0,
    refetchInterval: ({ state }) =>
      state.data?.tries.length || isOver(state.dataUpdatedAt) || state.error ? false : POLL_INTERVAL_MS,
  })
  const attempt = data?.tries[0]
  if (error && !attempt) return <Failed error={error} onAgain={() => void refetch()} />
  if (!data) return <Loader aria-label={t('page_endpoints.ping_waiting')} />
  return (
    <Stack>
      <div role="status">
        {attempt && arrived(attempt) ? (
          <QuietOutcome tone="success">
            {t('page_endpoints.ping_took', { status: attempt.httpStatus ?? 0, ms: n(attempt.durationMs) })}
          </QuietOutcome>
        ) : attempt ? (
          <Alert color="failure">
            {t('page_endpoints.ping_rejected', { ms: n(attempt.durationMs) })}{' '}
            {answerOf(attempt, texts) ?? t('page_endpoints.no_answer')}
          </Alert>
        ) : isOver(dataUpdatedAt) ? (
          <Text size="sm">{t('page_endpoints.ping_late')}</Text>
        ) : (
          <Group gap="xs">
            <Loader size="sm" />
            <Text size="sm">{t('page_endpoints.ping_waiting')}</Text>
          </Group>
        )}
      </div>
      {attempt && <Attempt attempt={attempt} order={3} />}
      <Body text={data.body} />
    </Stack>
  )
}
