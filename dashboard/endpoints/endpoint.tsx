import { Anchor, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { api, codeOf } from '../api.ts'
import { useTexts } from '../texts/use-texts.ts'
import { ConfirmDialog, Confirmation } from '../ui/confirm-dialog.tsx'
import { Copyable } from '../ui/copy.tsx'
import { Failed } from '../ui/failed.tsx'
import { Loading } from '../ui/loading.tsx'
import { useLive } from '../ui/shell/live.ts'
import { NotFound } from '../ui/shell/not-found.tsx'
import { Page } from '../ui/shell/page.tsx'
import { Time } from '../ui/time.tsx'
import { usePermissions, useWorkspace } from '../ui/workspace.ts'
import { EndpointCondition } from './condition.tsx'
import { Log } from './deliveries/log.tsx'
import { Ping } from './ping.tsx'
import { SecretOnce } from './secret-once.tsx'
import { type EndpointData, EndpointHealth } from './endpoint-health.tsx'
import { refreshEndpoint } from './deliveries/use-resend-all.ts'

export function Endpoint() {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const { endpointId } = useParams({ from: '/w/$workspaceId/endpoints/$endpointId' })
  const live = useLive()
  const may = usePermissions()
  const { data, error, refetch } = useQuery(api.endpoints.find.queryOptions({ workspaceId, endpointId }))
  if (codeOf(error) === 'NOT_FOUND' || codeOf(error) === 'BAD_REQUEST') return <NotFound />
  if (!data) return error ? <Failed error={error} onAgain={() => void refetch()} /> : <Loading />
  return (
    <Page
      title={t('page_endpoints.endpoint')}
      about={
        <Anchor
          size="sm"
          renderRoot={(props) => <Link {...props} to="/w/$workspaceId/endpoints" params={{ workspaceId }} />}
        >
          {t('page_endpoints.all')}
        </Anchor>
      }
      live={live}
      actions={may.change && <Actions endpoint={data} />}
    >
      <Copyable text={data.url} />
      <Overlap endpoint={data} />
      <EndpointCondition endpoint={data} />
      <EndpointHealth endpoint={data} />
      <Log endpoint={data} />
    </Page>
  )
}

/** Shown during the overlap: it is the deadline for changing the receiver. */
function Overlap({ endpoint: { previousSecretUntil } }: { endpoint: EndpointData }) {
  const { t } = useTexts()
  if (!previousSecretUntil || new Date(previousSecretUntil) <= new Date()) return null
  return (
    <Text size="sm">
      {t('page_endpoints.overlap')} <Time at={previousSecretUntil} kind="due" />
    </Text>
  )
}

function Actions({ endpoint }: { endpoint: EndpointData }) {
  const isEnabled = endpoint.status === 'enabled'
  return (
    <Group gap="xs">
      {isEnabled && <Ping endpointId={endpoint.endpointId} />}
      {isEnabled && <Pause endpointId={endpoint.endpointId} />}
      <Rotate endpointId={endpoint.endpointId} />
    </Group>
  )
}

function Pause({ endpointId }: { endpointId: string }) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const pause = useMutation(api.endpoints.pause.mutationOptions({ onSuccess: refreshEndpoint }))
  return (
    <ConfirmDialog
      label={t('page_endpoints.pause')}
      title={t('page_endpoints.pause_title')}
      doing={pause}
      yes={t('page_endpoints.pause')}
      no={t('page_endpoints.cancel')}
      onYes={() => pause.mutateAsync({ workspaceId, endpointId })}
    >
      <Text size="sm">{t('page_endpoints.pause_ask')}</Text>
    </ConfirmDialog>
  )
}

function Rotate({ endpointId }: { endpointId: string }) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const [asking, { open, close }] = useDisclosure()
  const rotate = useMutation(api.endpoints.rotate.mutationOptions({ onSuccess: refreshEndpoint }))
  const done = (): void => {
    close()
    rotate.reset() // removes the secret from the page when its dialog closes
  }
  return (
    <>
      <Button variant="default" onClick={open}>
        {t('page_endpoints.rotate')}
      </Button>
      <Modal
        closeOnClickOutside={rotate.data === undefined}
        opened={asking}
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
            no={t('page_endpoints.cancel')}
            onYes={() => rotate.mutate({ workspaceId, endpointId })}
            onNo={done}
          >
            <Text size="sm">{t('page_endpoints.rotate_ask')}</Text>
          </Confirmation>
        )}
      </Modal>
    </>
  )
}
