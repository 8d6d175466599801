import { Group, Stack, Text, Title, Tooltip, VisuallyHidden } from '@mantine/core'
import { UpdateIcon } from '@radix-ui/react-icons'
import { useMatch } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { useTexts } from '../../texts/use-texts.ts'
import { rememberPage } from '../palette/recent.ts'
import { ZoneOfPage, useTimesOnPage } from '../time.tsx'
import { useLive } from './live.ts'
import classes from './page.module.css'

type PageProps = {
  title: string
  /** Instead of the title on the page, with the same words. */
  heading?: ReactNode
  /** The status next to the title, on a page about one thing. */
  status?: ReactNode
  /** A link back to the list. */
  back?: ReactNode
  about?: ReactNode
  /** Keeps its data fresh. */
  live?: true
  /** Its figures are of days in the workspace's zone, even if it shows no time. */
  hasDays?: true
  actions?: ReactNode
  children: ReactNode
}

/**
 * A page's frame: its only h1, the status of its subject, whether it is live, its time zone, its purpose and its
 * actions.
 */
export function Page({ title, heading, status, back, about, live, hasDays, actions, children }: PageProps) {
  const { hasTimes, Provider } = useTimesOnPage()
  useEffect(() => {
    document.title = `${title} · Doorcode`
  }, [title])
  // Not the address: on the way to another page it is that of the other.
  const path = useMatch({ strict: false, select: ({ pathname }) => pathname })
  const isAboutOne = back !== undefined
  // A live page keeps the zone's place until its times have loaded. A page without times has no room for it to keep.
  const showsZone = hasTimes || hasDays === true
  useEffect(() => {
    if (isAboutOne) rememberPage({ path, title })
  }, [isAboutOne, path, title])
  return (
    <Stack gap="lg" maw={1200} mx="auto">
      <Group justify="space-between" align="flex-start">
        <Stack gap={4} flex={1} miw={240}>
          {back}
          <Group gap="xs">
            <Title order={1} style={{ overflowWrap: 'anywhere' }}>
              {heading || title}
            </Title>
            {status}
            <Group gap="xs" wrap="nowrap" className={classes['marks'] ?? ''}>
              {live && <LiveMark />}
              {(live || showsZone) && <ZoneOfPage isShown={showsZone} />}
            </Group>
          </Group>
          {about !== undefined && (
            <Text c="dimmed" maw={720}>
              {about}
            </Text>
          )}
        </Stack>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      <Provider>{children}</Provider>
    </Stack>
  )
}

/** Shows whether the page updates automatically. */
function LiveMark() {
  const { t } = useTexts()
  const state = useLive()
  const text = state === 'live' ? t('page_shell.live_hint') : t('page_shell.not_live_hint')
  return (
    <Tooltip label={text}>
      <span className={classes['mark']} data-state={state} role="status">
        <UpdateIcon aria-hidden="true" width={12} height={12} />
        <VisuallyHidden component="span">{text}</VisuallyHidden>
      </span>
    </Tooltip>
  )
}
