import { Group, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { ZoneOfPage, useTimesOnPage } from '../time/zone.tsx'
import type { LiveState } from './live.ts'
import { LiveMark } from './live-mark.tsx'

/**
 * A page's frame: its only h1, the status of its subject, whether it is live, its time zone, its purpose and its
 * actions.
 */
export function Page({
  title,
  status,
  back,
  about,
  live,
  actions,
  children,
}: {
  title: string
  /** The status next to the title, on a page about one thing. */
  status?: ReactNode
  /** A link back to the list. */
  back?: ReactNode
  about?: ReactNode
  live?: LiveState
  actions?: ReactNode
  children: ReactNode
}) {
  const { hasTimes, Provider } = useTimesOnPage()
  useEffect(() => {
    document.title = `${title} · Doorcode`
  }, [title])
  return (
    <Stack gap="lg" maw={1200} mx="auto">
      <Group justify="space-between" align="flex-start">
        <Stack gap={4} flex={1} miw={240}>
          {back}
          <Group gap="xs">
            <Title order={1} style={{ overflowWrap: 'anywhere' }}>
              {title}
            </Title>
            {status}
            {live !== undefined && <LiveMark state={live} />}
            {hasTimes && <ZoneOfPage />}
          </Group>
          {about !== undefined && (
            <Text c="dimmed" maw={720}>
              {about}
            </Text>
          )}
        </Stack>
        {actions}
      </Group>
      <Provider>{children}</Provider>
    </Stack>
  )
}
