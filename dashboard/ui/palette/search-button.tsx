import { ActionIcon, Button, Kbd } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { MagnifyingGlassIcon } from '@radix-ui/react-icons'
import { Suspense, useState } from 'react'
import { withTexts } from '../../texts/load.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Shortcuts } from '../keyboard/shortcuts.tsx'
import { lazyPart } from '../shell/lazy-part.ts'
import type { Workspace } from '../workspace.ts'

const loadPalette = withTexts(() => import('./palette.tsx'))
const Palette = lazyPart(async () => (await loadPalette()).Palette)

const PALETTE_KEY = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘K' : 'Ctrl K'

/** Opens the command palette, which is loaded at first use. */
export function SearchButton({ workspace }: { workspace: Workspace }) {
  const { t } = useTexts()
  const [isWanted, setWanted] = useState(false)
  const open = (): void => {
    setWanted(true)
    loadPalette().then(
      ({ openPalette }) => openPalette(),
      () => {}, // main.tsx tells the reader
    )
  }
  useHotkeys([['mod+K', open]], []) // also from within a field
  useHotkeys([['/', open]])
  return (
    <>
      <Button
        variant="default"
        size="compact-md"
        visibleFrom="sm"
        leftSection={<MagnifyingGlassIcon aria-hidden="true" />}
        rightSection={<Kbd size="xs">{PALETTE_KEY}</Kbd>}
        onClick={open}
        c="dimmed"
        fw={400}
      >
        {t('page_shell.search')}
      </Button>
      <ActionIcon variant="default" size={30} hiddenFrom="sm" aria-label={t('page_shell.search')} onClick={open}>
        <MagnifyingGlassIcon aria-hidden="true" />
      </ActionIcon>
      <Shortcuts paletteKey={PALETTE_KEY} />
      {isWanted && (
        <Suspense>
          <Palette workspace={workspace} />
        </Suspense>
      )}
    </>
  )
}
