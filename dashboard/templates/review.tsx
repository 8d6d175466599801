import { Alert, Button, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { api, queries } from '../api.ts'
import { Failed } from '../ui/failed.tsx'
import { useMay, useWorkspace } from '../ui/workspace.ts'
import { useWords } from '../words.ts'
import { waitBeforeLook } from './look.ts'
import { wordIn } from './status.tsx'
import type { Shown } from './template.tsx'
import { templateWords } from './words.ts'

/** What WhatsApp thinks of a template, where that keeps it from being sent, and what to do. */
export function Review({ template }: { template: Shown }) {
  const text = useWords(templateWords)
  const { status, rejectedReason } = template
  if (status === 'PENDING' || status === 'IN_APPEAL') return <Awaited template={template} />
  if (status === 'REJECTED')
    return (
      <Alert color="red" title={text.rejectedTitle}>
        <Stack gap="xs">
          {rejectedReason !== null && (
            <Text size="sm">
              {Object.hasOwn(text.rejections, rejectedReason)
                ? wordIn(text.rejections, rejectedReason)
                : text.rejectedOther}{' '}
              (<code>{rejectedReason}</code>)
            </Text>
          )}
          <Text size="sm">{text.rejectedNext}</Text>
        </Stack>
      </Alert>
    )
  if (status === 'PAUSED')
    return (
      <Alert color="orange" title={text.pausedTitle}>
        {text.paused}
      </Alert>
    )
  return null
}

/** Asks WhatsApp ever more seldom while the page is open: the webhook that tells may not be set up. */
function Awaited({ template }: { template: Shown }) {
  const text = useWords(templateWords)
  const may = useMay()
  const { workspaceId } = useWorkspace()
  const { accountId, name, language } = template
  const looks = useRef(0)
  const look = useMutation(
    api.templates.refresh.mutationOptions({
      onSuccess: () => queries.invalidateQueries({ queryKey: api.templates.pathKey() }),
    }),
  )
  const { mutate } = look
  const { change } = may
  useEffect(() => {
    if (!change) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const later = (): void => {
      const waitMs = waitBeforeLook(looks.current)
      if (waitMs === undefined) return
      timer = setTimeout(() => {
        looks.current += 1
        if (document.visibilityState === 'visible') mutate({ workspaceId, accountId, name, language })
        later()
      }, waitMs)
    }
    later()
    return () => clearTimeout(timer)
  }, [change, mutate, workspaceId, accountId, name, language])
  return (
    <Alert color="blue" title={text.reviewTitle} role="status">
      <Stack gap="xs">
        <Text size="sm">{may.change ? text.review : text.reviewMember}</Text>
        {look.error && <Failed error={look.error} />}
        {may.change && (
          <Button
            size="compact-sm"
            variant="default"
            w="fit-content"
            loading={look.isPending}
            onClick={() => look.mutate({ workspaceId, accountId, name, language })}
          >
            {text.lookNow}
          </Button>
        )}
      </Stack>
    </Alert>
  )
}
