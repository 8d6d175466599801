import { Badge, Text, Tooltip } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useTexts } from '../../texts/use-texts.ts'
import { aheadText } from '../time/clock.ts'
import type { Workspace } from '../workspace.ts'

/** Marks a sandbox. While its clock is ahead it says so, and leads to the time machine. */
export function SandboxPill({ workspace: { workspaceId, clockOffsetMs } }: { workspace: Workspace }) {
  const { t, language } = useTexts()
  if (clockOffsetMs === 0) {
    return (
      <Badge variant="light" color="neutral">
        {t('page_shell.sandbox')}
      </Badge>
    )
  }
  const ahead = t('page_shell.clock_ahead', { ahead: aheadText(clockOffsetMs, language) })
  return (
    <Tooltip label={t('page_shell.clock_hint')}>
      <Badge
        variant="light"
        color="warning"
        style={{ cursor: 'pointer' }}
        renderRoot={(props) => (
          <Link
            {...props}
            aria-label={`${t('page_shell.sandbox')} · ${ahead}`}
            to="/w/$workspaceId/phone"
            params={{ workspaceId }}
            search={{ tab: 'clock' }}
          />
        )}
      >
        {t('page_shell.sandbox')}
        <Text span inherit visibleFrom="sm">
          {' '}
          · {ahead}
        </Text>
      </Badge>
    </Tooltip>
  )
}
