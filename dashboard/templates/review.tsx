import { Alert, Button, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { api, queryClient } from '../api.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Failed } from '../ui/failed.tsx'
import { usePermissions, useWorkspace } from '../ui/workspace.ts'
import { waitBeforePoll } from './poll.ts'
import type { TemplateInfo } from './template-data.ts'

/** The review status of a template that cannot be sent, and what to do. */
export function Review({ template }: { template: TemplateInfo }) {
  const { t, has } = useTexts()
  const { status, rejectedReason } = template
  const rejection = `page_templates.rejections_${rejectedReason?.toLowerCase()}`
  if (status === 'PENDING' || status === 'IN_APPEAL') return <InReview template={template} />
  if (status === 'REJECTED')
    return (
      <Alert color="red" title={t('page_templates.rejected_title')}>
        <Stack gap="xs">
          {rejectedReason !== null && (
            <Text size="sm">
              {has(rejection) ? t(rejection) : t('page_templates.rejected_unknown')} (<code>{rejectedReason}</code>)
            </Text>
          )}
          <Text size="sm">{t('page_templates.rejected_next')}</Text>
        </Stack>
      </Alert>
    )
  if (status === 'PAUSED')
    return (
      <Alert color="warning" title={t('page_templates.paused_title')}>
        {t('page_templates.paused')}
      </Alert>
    )
  return null
}

/** Polls with growing intervals while the page is open: the webhook may not be set up. */
function InReview({ template }: { template: TemplateInfo }) {
  const { t } = useTexts()
  const may = usePermissions()
  const { workspaceId } = useWorkspace()
  const { accountId, name, language } = template
  const polls = useRef(0)
  const refresh = useMutation(
    api.templates.refresh.mutationOptions({
      onSuccess: () => queryClient.invalidateQueries({ queryKey: api.templates.pathKey() }),
    }),
  )
  const { mutate } = refresh
  const { change } = may
  useEffect(() => {
    if (!change) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const later = (): void => {
      const waitMs = waitBeforePoll(polls.current)
      if (waitMs === undefined) return
      timer = setTimeout(() => {
        polls.current += 1
        if (document.visibilityState === 'visible') mutate({ workspaceId, accountId, name, language })
        later()
      }, waitMs)
    }
    later()
    return () => clearTimeout(timer)
  }, [change, mutate, workspaceId, accountId, name, language])
  return (
    <Alert color="progress" title={t('page_templates.review_title')} role="status">
      <Stack gap="xs">
        <Text size="sm">{may.change ? t('page_templates.review') : t('page_templates.review_member')}</Text>
        {refresh.error && <Failed error={refresh.error} />}
        {may.change && (
          <Button
            size="compact-sm"
            variant="default"
            w="fit-content"
            loading={refresh.isPending}
            onClick={() => refresh.mutate({ workspaceId, accountId, name, language })}
          >
            {t('page_templates.check_now')}
          </Button>
        )}
      </Stack>
    </Alert>
  )
}
