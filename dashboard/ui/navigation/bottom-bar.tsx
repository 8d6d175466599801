import { UnstyledButton } from '@mantine/core'
import { HamburgerMenuIcon } from '@radix-ui/react-icons'
import { useRouterState } from '@tanstack/react-router'
import { useTexts } from '../../texts/use-texts.ts'
import { linkTo } from '../link.tsx'
import type { Workspace } from '../workspace.ts'
import classes from './bottom-bar.module.css'
import { mainSectionsOf } from './sections.ts'
import { SectionIcon, isAt } from './sidebar.tsx'

export const BOTTOM_BAR_HEIGHT = 56

type Props = { workspace: Workspace; isMenuOpen: boolean; onMenu: () => void; onChoose: () => void }

/** A phone's way to the main sections; the others are in the menu. */
export function BottomBar({ workspace, isMenuOpen, onMenu, onChoose }: Props) {
  const { t } = useTexts()
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const { workspaceId } = workspace
  return (
    <div className={classes['bar']}>
      {mainSectionsOf(workspace).map(({ name, to }) => (
        <UnstyledButton
          key={name}
          className={classes['place'] ?? ''}
          data-active={isAt(path, to) || undefined}
          aria-current={isAt(path, to) ? 'page' : undefined}
          onClick={onChoose}
          renderRoot={linkTo({ to, params: { workspaceId } })}
        >
          <SectionIcon of={name} />
          <span>{t(`page_shell.${name}`)}</span>
        </UnstyledButton>
      ))}
      <UnstyledButton
        className={classes['place'] ?? ''}
        data-active={isMenuOpen || undefined}
        aria-expanded={isMenuOpen}
        onClick={onMenu}
      >
        <HamburgerMenuIcon aria-hidden="true" />
        <span>{t('page_shell.menu')}</span>
      </UnstyledButton>
    </div>
  )
}
