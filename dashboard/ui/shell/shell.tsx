import {
  AppShell,
  Badge,
  Button,
  Group,
  Menu,
  NativeSelect,
  Text,
  Tooltip,
  VisuallyHidden,
  useMantineColorScheme,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { Outlet, useNavigate, useRouterState } from '@tanstack/react-router'
import { type ReactNode, Suspense } from 'react'
import { LANGUAGES, LANGUAGE_NAMES } from '../../../locales/text.ts'
import { callSignIn, queryClient } from '../../api.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { aheadText } from '../clock.ts'
import { LoadingPage } from '../fallback.tsx'
import { linkTo } from '../link.tsx'
import { BOTTOM_BAR_HEIGHT, BottomBar } from '../navigation/bottom-bar.tsx'
import { sectionIn } from '../navigation/sections.ts'
import { SIDEBAR_WIDTH, Sidebar, useIconsOnly } from '../navigation/sidebar.tsx'
import { SearchButton } from '../palette/search-button.tsx'
import { useScreen } from '../screen.ts'
import { type Workspace, WorkspaceContext, useSession, useWorkspaceIfAny, useWorkspaceOfPath } from '../workspace.ts'
import { useKeptFocus } from './keep-focus.ts'
import { LiveContext, useLiveStream } from './live.ts'
import mark from './mark.svg'
import { NotFound } from './not-found.tsx'

const CONTENT = 'content'
const HEADER_HEIGHT = 56

/** What surrounds every page of a workspace. `notice` is above each of them. */
export function Shell({ notice }: { notice?: ReactNode }) {
  const { t } = useTexts()
  const [opened, { toggle, close }] = useDisclosure()
  const workspace = useWorkspaceOfPath()
  const { iconsOnly, toggle: toggleIcons } = useIconsOnly()
  const hasBar = useScreen() === 'phone' && workspace !== undefined
  const live = useLiveStream(workspace)
  useKeptFocus()
  return (
    <WorkspaceContext value={workspace}>
      <AppShell
        header={{ height: HEADER_HEIGHT }}
        {...(workspace && {
          navbar: {
            width: iconsOnly ? SIDEBAR_WIDTH.icons : SIDEBAR_WIDTH.whole,
            breakpoint: 'sm',
            collapsed: { mobile: !opened },
          },
        })}
        {...(hasBar && { footer: { height: BOTTOM_BAR_HEIGHT } })}
        padding="md"
      >
        <Header />
        {workspace && (
          <AppShell.Navbar p="xs" aria-label={t('page_shell.menu')}>
            <Sidebar workspace={workspace} iconsOnly={iconsOnly} onToggle={toggleIcons} onChoose={close} />
          </AppShell.Navbar>
        )}
        {hasBar && (
          <AppShell.Footer component="nav" aria-label={t('page_shell.main_sections')}>
            <BottomBar workspace={workspace} isMenuOpen={opened} onMenu={toggle} onChoose={close} />
          </AppShell.Footer>
        )}
        <AppShell.Main id={CONTENT} tabIndex={-1} style={{ outline: 'none' }}>
          <Suspense fallback={<LoadingPage />}>
            <LiveContext value={live}>
              {workspace ? (
                <>
                  {notice}
                  <Outlet />
                </>
              ) : (
                <NotFound />
              )}
            </LiveContext>
          </Suspense>
        </AppShell.Main>
      </AppShell>
    </WorkspaceContext>
  )
}

/** The frame of a page outside any workspace. */
export const PlainShell = ({ children }: { children: ReactNode }) => (
  <AppShell header={{ height: HEADER_HEIGHT }} padding="md">
    <Header />
    <AppShell.Main id={CONTENT} tabIndex={-1} style={{ outline: 'none' }}>
      {children}
    </AppShell.Main>
  </AppShell>
)

function Header() {
  const { t } = useTexts()
  const { workspaces } = useSession()
  const workspace = useWorkspaceIfAny()
  return (
    <AppShell.Header>
      <a className="skip" href={`#${CONTENT}`}>
        {t('page_shell.skip')}
      </a>
      <Group h="100%" px={{ base: 'xs', xs: 'md' }} gap="xs" justify="space-between" wrap="nowrap">
        <Group gap="xs" wrap="nowrap" miw={0}>
          <Group gap={8} wrap="nowrap">
            <Mark />
            <Text fw={600} visibleFrom="sm">
              Doorcode
            </Text>
          </Group>
          {workspaces.length > 0 && <WorkspaceSwitch />}
          {workspace?.sandbox && <SandboxPill workspace={workspace} />}
        </Group>
        <Group gap="xs" wrap="nowrap" style={{ flexShrink: 0 }}>
          {workspace && <SearchButton workspace={workspace} />}
          <AccountMenu />
        </Group>
      </Group>
    </AppShell.Header>
  )
}

/** Switching workspaces keeps the section. */
function WorkspaceSwitch() {
  const { t } = useTexts()
  const { workspaces } = useSession()
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const workspace = useWorkspaceIfAny()
  const navigate = useNavigate()
  return (
    <NativeSelect
      aria-label={t('page_shell.workspace')}
      value={workspace?.workspaceId ?? ''}
      data={[
        ...(workspace ? [] : [{ value: '', label: t('page_shell.choose_workspace'), disabled: true }]),
        ...(workspace && !workspaces.includes(workspace) ? [workspace, ...workspaces] : workspaces).map(
          ({ workspaceId, name }) => ({ value: workspaceId, label: name }),
        ),
      ]}
      onChange={(event) => {
        const chosen = workspaces.find(({ workspaceId }) => workspaceId === event.currentTarget.value)
        if (chosen) void navigate({ to: sectionIn(path, chosen), params: { workspaceId: chosen.workspaceId } })
      }}
      maw={220}
      miw={72}
      dir="auto"
      styles={{ input: { textOverflow: 'ellipsis' } }}
    />
  )
}

/** The initials of the first and the last word. */
const initialsOf = (name: string): string => {
  const words = name.split(/\s+/).filter(Boolean)
  const ends = words.length > 1 ? [words[0], words.at(-1)] : words
  return ends.map((word = '') => /^./u.exec(word)?.[0] ?? '').join('')
}

const COLOURS = [
  ['light', 'light'],
  ['dark', 'dark'],
  ['auto', 'like_system'],
] as const

function AccountMenu() {
  const { t, language, choose } = useTexts()
  const { person } = useSession()
  const workspace = useWorkspaceIfAny()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const signOut = async (): Promise<void> => {
    const { ok, code } = await callSignIn('sign-out')
    if (!ok) {
      const message = t(code === 'UNREACHABLE' ? 'page_shell.unreachable' : 'page_shell.failed_title')
      return void notifications.show({ color: 'red', message })
    }
    queryClient.clear()
    location.assign('/dashboard/sign-in')
  }
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" size="compact-md" maw={160} data-account>
          <Text span truncate size="sm" dir="auto" visibleFrom="xs" aria-hidden="true">
            {person.name}
          </Text>
          <Text span size="sm" hiddenFrom="xs" aria-hidden="true">
            {initialsOf(person.name)}
          </Text>
          <VisuallyHidden component="span">
            {person.name}: {t('page_shell.account')}
          </VisuallyHidden>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{person.email}</Menu.Label>
        <Menu.Label>{t('page_shell.colours')}</Menu.Label>
        {COLOURS.map(([scheme, name]) => (
          <Menu.Item key={scheme} fw={scheme === colorScheme ? 600 : 400} onClick={() => setColorScheme(scheme)}>
            {t(`page_shell.${name}`)}
          </Menu.Item>
        ))}
        <Menu.Label>{t('page_shell.language')}</Menu.Label>
        {LANGUAGES.map((each) => (
          <Menu.Item key={each} lang={each} fw={each === language ? 600 : 400} onClick={() => void choose(each)}>
            {LANGUAGE_NAMES[each]}
          </Menu.Item>
        ))}
        <Menu.Divider />
        {workspace && (
          <Menu.Item renderRoot={linkTo({ to: '/w/$workspaceId/account' })}>{t('page_shell.account')}</Menu.Item>
        )}
        <Menu.Item onClick={() => void signOut()}>{t('page_shell.sign_out')}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

/** Marks a sandbox. While its clock is moved it says so, and leads to the time machine. */
function SandboxPill({ workspace: { clockOffsetMs } }: { workspace: Workspace }) {
  const { t, language } = useTexts()
  if (clockOffsetMs === 0) {
    return (
      <Badge variant="light" color="neutral">
        {t('page_shell.sandbox')}
      </Badge>
    )
  }
  const by = aheadText(Math.abs(clockOffsetMs), language)
  const isAhead = clockOffsetMs > 0
  const moved = isAhead ? t('page_shell.clock_ahead', { ahead: by }) : t('page_shell.clock_behind', { behind: by })
  return (
    <Tooltip label={t(isAhead ? 'page_shell.clock_hint' : 'page_shell.clock_behind_hint')}>
      <Badge
        variant="light"
        color="warning"
        style={{ cursor: 'pointer' }}
        renderRoot={linkTo({
          'aria-label': `${t('page_shell.sandbox')} · ${moved}`,
          to: '/w/$workspaceId/phone',
          search: { tab: 'clock' },
        })}
      >
        <Text span inherit visibleFrom="sm">
          {t('page_shell.sandbox')} · {moved}
        </Text>
        <Text span inherit hiddenFrom="sm">
          {isAhead
            ? t('page_shell.clock_ahead_short', { ahead: by })
            : t('page_shell.clock_behind_short', { behind: by })}
        </Text>
      </Badge>
    </Tooltip>
  )
}

/** The logo, shown next to the name. */
export const Mark = () => <img src={mark} alt="" width={24} height={24} />
