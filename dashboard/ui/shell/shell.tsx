import {
  AppShell,
  Burger,
  Button,
  Group,
  Menu,
  NavLink,
  NativeSelect,
  ScrollArea,
  Stack,
  Text,
  VisuallyHidden,
  useMantineColorScheme,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Link, Outlet, useNavigate, useRouterState } from '@tanstack/react-router'
import { Suspense } from 'react'
import { callSignIn, queryClient } from '../../api.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { useKeptFocus } from '../keep-focus.ts'
import { LanguageSwitch } from './language-switch.tsx'
import { LoadingPage } from '../loading.tsx'
import { NotFound } from './not-found.tsx'
import { SandboxPill } from './sandbox-pill.tsx'
import { SECTION_GROUPS, sectionIn } from './sections.ts'
import { useSession, useWorkspaceIfAny } from '../workspace.ts'

const CONTENT = 'content'

/** What surrounds every page of a workspace. */
export function Shell() {
  const { t } = useTexts()
  const [opened, { toggle, close }] = useDisclosure()
  const workspace = useWorkspaceIfAny()
  useKeptFocus()
  if (!workspace) return <NotFound />
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 240, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding="md"
    >
      <AppShell.Header>
        <a className="skip" href={`#${CONTENT}`}>
          {t('page_shell.skip')}
        </a>
        <Group h="100%" px={{ base: 'xs', xs: 'md' }} gap="xs" justify="space-between" wrap="nowrap">
          <Group gap="xs" wrap="nowrap" miw={0}>
            <Burger
              opened={opened}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={t('page_shell.menu')}
              aria-expanded={opened}
            />
            <Text fw={700} visibleFrom="xs">
              Doorcode
            </Text>
            <WorkspaceSwitch />
            {workspace.sandbox && <SandboxPill workspace={workspace} />}
          </Group>
          <AccountMenu />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label={t('page_shell.menu')}>
        <Sections onChoose={close} />
      </AppShell.Navbar>
      <AppShell.Main id={CONTENT}>
        <Suspense fallback={<LoadingPage />}>
          <Outlet />
        </Suspense>
      </AppShell.Main>
    </AppShell>
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
      data={workspaces.map(({ workspaceId, name }) => ({ value: workspaceId, label: name }))}
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

function Sections({ onChoose }: { onChoose: () => void }) {
  const { t } = useTexts()
  const workspace = useWorkspaceIfAny()
  const path = useRouterState({ select: ({ location }) => location.pathname })
  if (!workspace) return null
  return (
    <ScrollArea>
      {SECTION_GROUPS.map(({ name: group, sections }) => (
        <Stack key={group} gap={2} mb="sm" role="group" aria-labelledby={`sections-${group}`}>
          <Text id={`sections-${group}`} size="xs" fw={600} c="dimmed" px="sm" pt={4}>
            {t(`page_shell.${group}`)}
          </Text>
          {sections
            .filter((section) => !('sandboxOnly' in section) || workspace.sandbox)
            .map(({ name, to }) => (
              <NavLink
                key={to}
                renderRoot={(props) => <Link {...props} to={to} params={{ workspaceId: workspace.workspaceId }} />}
                label={t(`page_shell.${name}`)}
                active={path.includes(to.split('$workspaceId')[1] ?? '')}
                onClick={onChoose}
                py={6}
              />
            ))}
        </Stack>
      ))}
    </ScrollArea>
  )
}

/** Of the first word and the last. */
const initialsOf = (name: string): string => {
  const words = name.split(/\s+/).filter(Boolean)
  const ends = words.length > 1 ? [words[0], words.at(-1)] : words
  return ends.map((word = '') => /^./u.exec(word)?.[0] ?? '').join('')
}

function AccountMenu() {
  const { t } = useTexts()
  const { person } = useSession()
  const workspace = useWorkspaceIfAny()
  const { setColorScheme } = useMantineColorScheme()
  const signOut = async (): Promise<void> => {
    await callSignIn('sign-out')
    queryClient.clear()
    location.assign('/dashboard/sign-in')
  }
  return (
    <Group gap={4} wrap="nowrap" style={{ flexShrink: 0 }}>
      <LanguageSwitch />
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" size="compact-md" maw={160}>
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
          <Menu.Item onClick={() => setColorScheme('light')}>{t('page_shell.light')}</Menu.Item>
          <Menu.Item onClick={() => setColorScheme('dark')}>{t('page_shell.dark')}</Menu.Item>
          <Menu.Item onClick={() => setColorScheme('auto')}>{t('page_shell.like_system')}</Menu.Item>
          <Menu.Divider />
          {workspace && (
            <Menu.Item
              renderRoot={(props) => (
                <Link {...props} to="/w/$workspaceId/account" params={{ workspaceId: workspace.workspaceId }} />
              )}
            >
              {t('page_shell.account')}
            </Menu.Item>
          )}
          <Menu.Item onClick={() => void signOut()}>{t('page_shell.sign_out')}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </Group>
  )
}
