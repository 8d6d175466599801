import { Box, NavLink, ScrollArea, Stack, Text, Tooltip } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { PinLeftIcon, PinRightIcon } from '@radix-ui/react-icons'
import { useRouterState } from '@tanstack/react-router'
import { type ReactElement, memo } from 'react'
import { useTexts } from '../../texts/use-texts.ts'
import { linkTo } from '../link.tsx'
import { useScreen } from '../screen.ts'
import { type Workspace, useSession } from '../workspace.ts'
import { SECTION_GROUPS, type SectionName, type SectionPath, iconOf, sectionsOf } from './sections.ts'
import classes from './sidebar.module.css'

export const SIDEBAR_WIDTH = { whole: 240, icons: 57 } as const
/**
 * Whether only icons are shown: always on a tablet, never on a phone, where a button opens the sidebar, and otherwise the
 * person's choice in this browser.
 */
export function useIconsOnly(): { iconsOnly: boolean; toggle: (() => void) | undefined } {
  const { person } = useSession()
  const [chosen, choose] = useLocalStorage({
    key: `doorcode-sidebar-icons-${person.userId}`,
    defaultValue: false,
    getInitialValueInEffect: false,
  })
  const screen = useScreen()
  if (screen !== 'desktop') return { iconsOnly: screen === 'tablet', toggle: undefined }
  return { iconsOnly: chosen, toggle: () => choose(!chosen) }
}

type Props = { workspace: Workspace; iconsOnly: boolean; onToggle: (() => void) | undefined; onChoose: () => void }

/** The sections of the workspace, as icons with tooltips if there is no room for more. */
export function Sidebar({ workspace, iconsOnly, onToggle, onChoose }: Props) {
  const { t } = useTexts()
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const shown = new Set<string>(sectionsOf(workspace).map(({ name }) => name))
  const toggleLabel = t(iconsOnly ? 'page_shell.expand_sidebar' : 'page_shell.collapse_sidebar')
  const ToggleIcon = iconsOnly ? PinRightIcon : PinLeftIcon
  const icon = iconsOnly || undefined
  return (
    <Box className={classes['sidebar'] ?? ''}>
      <ScrollArea flex={1} scrollbars="y" type="hover">
        {SECTION_GROUPS.map(({ name: group, sections }) => (
          <Stack
            key={group}
            className={classes['group'] ?? ''}
            data-icon={icon}
            gap={2}
            mb="sm"
            role="group"
            aria-label={t(`page_shell.${group}`)}
          >
            {!iconsOnly && (
              <Text size="xs" fw={600} c="dimmed" px="sm" pt={4} aria-hidden="true">
                {t(`page_shell.${group}`)}
              </Text>
            )}
            {sections
              .filter(({ name }) => shown.has(name))
              .map(({ name, to }) => (
                <SectionLink
                  key={to}
                  of={name}
                  to={to}
                  workspaceId={workspace.workspaceId}
                  isActive={isAt(path, to)}
                  iconsOnly={iconsOnly}
                  onChoose={onChoose}
                />
              ))}
          </Stack>
        ))}
      </ScrollArea>
      {onToggle && (
        <Named label={toggleLabel} iconsOnly={iconsOnly}>
          <NavLink
            component="button"
            type="button"
            className={`${classes['link']} ${classes['toggle']}`}
            data-icon={icon}
            leftSection={<ToggleIcon aria-hidden="true" className="mirrored" />}
            label={toggleLabel}
            aria-label={toggleLabel}
            aria-expanded={!iconsOnly}
            onClick={onToggle}
            py={4}
          />
        </Named>
      )}
    </Box>
  )
}

type SectionLinkProps = {
  of: SectionName
  to: SectionPath
  workspaceId: string
  isActive: boolean
  iconsOnly: boolean
  onChoose: () => void
}

/** Memoized: a navigation changes only two of the links. */
const SectionLink = memo(function SectionLink({
  of: name,
  to,
  workspaceId,
  isActive,
  iconsOnly,
  onChoose,
}: SectionLinkProps) {
  const { t } = useTexts()
  const label = t(`page_shell.${name}`)
  return (
    <Named label={label} iconsOnly={iconsOnly}>
      <NavLink
        className={classes['link'] ?? ''}
        data-icon={iconsOnly || undefined}
        leftSection={<SectionIcon of={name} />}
        label={label}
        aria-label={label}
        renderRoot={linkTo({ to, params: { workspaceId } })}
        active={isActive}
        onClick={onChoose}
        py={4}
      />
    </Named>
  )
})

const TOOLTIP_EVENTS = { hover: true, focus: true, touch: false }

/** Whether the path is the section's, or of a thing in it. */
export const isAt = (path: string, section: string): boolean => path.includes(section.split('$workspaceId')[1] ?? '')

/** An icon without a label has it in a tooltip. */
const Named = ({ label, iconsOnly, children }: { label: string; iconsOnly: boolean; children: ReactElement }) => (
  <Tooltip label={label} position="right" disabled={!iconsOnly} events={TOOLTIP_EVENTS}>
    {children}
  </Tooltip>
)

/** These icons have a direction, so Arabic mirrors them. */
const MIRRORED: ReadonlySet<SectionName> = new Set(['messages', 'charts', 'senders', 'audit'])

export function SectionIcon({ of }: { of: SectionName }) {
  const Icon = iconOf(of)
  return <Icon aria-hidden="true" className={MIRRORED.has(of) ? 'mirrored' : undefined} />
}
