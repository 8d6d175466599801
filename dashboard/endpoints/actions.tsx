import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { api } from '../api.ts'
import { useTexts } from '../texts/use-texts.ts'
import { ConfirmDialog, Confirmation } from '../ui/dialog/confirm-dialog.tsx'
import { DangerDialog } from '../ui/dialog/danger-dialog.tsx'
import { SecretDialog } from '../ui/dialog/secret-dialog.tsx'
import { Time } from '../ui/time.tsx'
import { useWorkspace } from '../ui/workspace.ts'
import { refreshEndpoint } from './deliveries/use-resend-all.ts'
import type { EndpointData } from './endpoint-health.tsx'
import { stateOf } from './endpoint-state.ts'
import { Ping } from './ping.tsx'
import { SecretOnce } from './secret-once.tsx'
import { EndpointSettings } from './settings-form.tsx'

/** What can be done with an endpoint. */
export function Actions({ endpoint }: { endpoint: EndpointData }) {
  const isEnabled = endpoint.status === 'enabled'
  return (
    <Group gap="xs">
      {isEnabled && <Ping endpointId={endpoint.endpointId} isMain={stateOf(endpoint) === 'enabled'} />}
      <Edit endpoint={endpoint} />
      {isEnabled && <Pause endpointId={endpoint.endpointId} />}
      <Rotate endpointId={endpoint.endpointId} />
      <Delete endpoint={endpoint} />
    </Group>
  )
}

function Edit({ endpoint }: { endpoint: EndpointData }) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const { endpointId, allowsHttp } = endpoint
  const [opened, { open, close }] = useDisclosure()
  const update = useMutation(api.endpoints.update.mutationOptions({ onSuccess: refreshEndpoint }))
  return (
    <>
      <Button variant="default" onClick={open}>
        {t('page_endpoints.edit')}
      </Button>
      <Modal opened={opened} onClose={close} title={t('page_endpoints.edit_title')} size="lg">
        <Stack>
          <Text size="sm">{t('page_endpoints.edit_about')}</Text>
          <EndpointSettings
            initial={endpoint}
            allowsHttp={allowsHttp}
            yes={t('page_endpoints.save')}
            onSave={async (settings) => {
              await update.mutateAsync({ workspaceId, endpointId, ...settings })
              close()
            }}
          />
        </Stack>
      </Modal>
    </>
  )
}

function Delete({ endpoint: { endpointId, url } }: { endpoint: EndpointData }) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const remove = useMutation(api.endpoints.remove.mutationOptions({ onSuccess: refreshEndpoint }))
  return (
    <DangerDialog
      label={t('page_endpoints.delete')}
      title={t('page_endpoints.delete_title')}
      name={new URL(url).host}
      yes={t('page_endpoints.delete')}
      doing={remove}
      onYes={(host) => remove.mutateAsync({ workspaceId, endpointId, host })}
    >
      <Text size="sm">{t('page_endpoints.delete_ask')}</Text>
    </DangerDialog>
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
      <SecretDialog
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
      </SecretDialog>
    </>
  )
}
