import { Group, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import type { LiveState } from './live.ts'
import { LiveMark } from './live-mark.tsx'

/** A page's frame: its only h1, whether it is live, its purpose and its actions. */
export function Page({
  title,
  about,
  live,
  actions,
  children,
}: {
  title: string
  about?: ReactNode
  live?: LiveState
  actions?: ReactNode
  children: ReactNode
}) {
  useEffect(() => {
    document.title = `${title} · Doorcode`
  }, [title])
  return (
    <Stack gap="lg" maw={1200} mx="auto">
      <Group justify="space-between" align="flex-start">
        <Stack gap={4} flex={1} miw={240}>
          <Group gap="xs">
            <Title order={1} size="h2" style={{ overflowWrap: 'anywhere' }}>
              {title}
            </Title>
            {live !== undefined && <LiveMark state={live} />}
          </Group>
          {about !== undefined && (
            <Text c="dimmed" size="sm" maw={720}>
              {about}
            </Text>
          )}
        </Stack>
        {actions}
      </Group>
      {children}
    </Stack>
  )
}
