import { Button, Stack } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { api, queryClient } from '../api.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Failed } from '../ui/fallback.tsx'
import { isOfWorkspace } from '../ui/shell/refetch.ts'
import { useWorkspace } from '../ui/workspace.ts'

/** Gives a sandbox its account on the emulator. A second click does no harm. */
export function ConnectEmulator({ onDone }: { onDone?: () => void }) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const connect = useMutation(
    api.phone.connect.mutationOptions({
      async onSuccess() {
        await queryClient.invalidateQueries({ predicate: ({ queryKey }) => isOfWorkspace(queryKey, workspaceId) })
        notifications.show({ message: t('page_overview.emulator_done') })
        onDone?.()
      },
    }),
  )
  return (
    <Stack gap="xs" align="flex-start">
      <Button loading={connect.isPending} onClick={() => connect.mutate({ workspaceId })}>
        {t('page_overview.emulator_connect')}
      </Button>
      {connect.error && <Failed error={connect.error} />}
    </Stack>
  )
}
