import { Alert, Box, Progress, Stack, Text } from '@mantine/core'
import { useEffect } from 'react'
import { queryClient } from '../api.ts'
import { numberFormat } from '../texts/formats.ts'
import { useTexts } from '../texts/use-texts.ts'
import { isOfWorkspace } from '../ui/shell/refetch.ts'
import { useWorkspace } from '../ui/workspace.ts'

/** Figures rest for half a minute after each answer; a month that grows is shown more often. */
const REFRESH_MS = 5_000

/** Shown on every page while a demo month is made, or the sandbox is emptied. */
export function SandboxWorkBanner() {
  const { t, language } = useTexts()
  const { workspaceId, sandboxWork } = useWorkspace()
  const isWorking = sandboxWork !== null
  useEffect(() => {
    if (!isWorking) return undefined
    const refresh = (): void =>
      void queryClient.invalidateQueries({ predicate: ({ queryKey }) => isOfWorkspace(queryKey, workspaceId) })
    const timer = setInterval(refresh, REFRESH_MS)
    return () => {
      clearInterval(timer)
      refresh() // the end
    }
  }, [isWorking, workspaceId])
  if (!sandboxWork) return null
  const share = Math.min(1, sandboxWork.share ?? 0)
  const title = sandboxWork.kind === 'fill' ? t('page_workspaces.filling') : t('page_workspaces.emptying')
  const percent = numberFormat(language, { style: 'percent' }).format(share)
  return (
    <Box maw={1200} mx="auto" mb="lg">
      <Alert color="blue" title={title} role="status">
        {sandboxWork.kind === 'fill' && (
          <Stack gap="xs">
            <Text size="sm">{t('page_workspaces.filling_means')}</Text>
            <Progress
              value={share * 100}
              aria-label={title}
              aria-valuetext={t('page_workspaces.filled_share', { share: percent })}
            />
          </Stack>
        )}
      </Alert>
    </Box>
  )
}
