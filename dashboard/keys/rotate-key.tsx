import { Button, Radio, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api, queryClient } from '../api.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Failed } from '../ui/failed.tsx'
import { Time } from '../ui/time.tsx'
import { useWorkspace } from '../ui/workspace.ts'
import type { Key } from './key.ts'
import { ExpirySelect, daysOf } from './new-key.tsx'
import { ShownOnce } from './shown-once.tsx'

const OVERLAPS = ['none', 'hour', 'day', 'week'] as const
type Overlap = (typeof OVERLAPS)[number]

export function RotateKey({ of: { publicId }, onDone }: { of: Key; onDone: () => void }) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const [overlap, setOverlap] = useState<Overlap>('day')
  const [expiry, setExpiry] = useState('')
  const rotate = useMutation(
    api.keys.rotate.mutationOptions({
      onSuccess: () => queryClient.invalidateQueries({ queryKey: api.keys.list.queryKey({ workspaceId }) }),
    }),
  )
  if (rotate.data) {
    const { apiKey, oldExpiresAt } = rotate.data
    const note = (
      <Text size="sm">
        {overlap === 'none' ? t('page_keys.stopped') : t('page_keys.rotated')}{' '}
        {overlap !== 'none' && <Time at={oldExpiresAt} kind="due" />}
      </Text>
    )
    return <ShownOnce apiKey={apiKey} note={note} onDone={onDone} />
  }
  return (
    <Stack>
      <Text size="sm">{t('page_keys.rotate_about')}</Text>
      <Radio.Group label={t('page_keys.overlap')} value={overlap} onChange={setOverlap}>
        <Stack gap="xs" mt="xs">
          {OVERLAPS.map((each) => (
            <Radio key={each} value={each} label={t(`page_keys.overlaps_${each}`)} />
          ))}
        </Stack>
      </Radio.Group>
      <ExpirySelect
        label={t('page_keys.new_expiry')}
        value={expiry}
        onChange={(event) => setExpiry(event.currentTarget.value)}
      />
      {rotate.error && <Failed error={rotate.error} />}
      <Button
        loading={rotate.isPending}
        onClick={() => rotate.mutate({ workspaceId, publicId, overlap, expiresInDays: daysOf(expiry) })}
      >
        {t('page_keys.rotate')}
      </Button>
    </Stack>
  )
}
