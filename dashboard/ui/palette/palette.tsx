import '@mantine/spotlight/styles.css'
import { Stack, Text } from '@mantine/core'
import { Spotlight, createSpotlight, useSpotlight } from '@mantine/spotlight'
import { GlobeIcon, MagnifyingGlassIcon, MoonIcon, SunIcon } from '@radix-ui/react-icons'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useTexts } from '../../texts/use-texts.ts'
import { SectionIcon } from '../navigation/sidebar.tsx'
import type { Workspace } from '../workspace.ts'
import type { Action } from './actions.ts'
import { useGroups } from './groups.ts'
import classes from './palette.module.css'

/** The server's limit, as in src/admin/search.ts. */
const MAX_TEXT = 200

const [store, actions] = createSpotlight()

export const openPalette = actions.open

/** Opens any page or item of the workspace, and switches theme and language, from the keyboard. */
export function Palette({ workspace }: { workspace: Workspace }) {
  const { t } = useTexts()
  const [query, setQuery] = useState('')
  const { opened } = useSpotlight(store)
  const { groups, isPending } = useGroups(workspace, query.trim(), opened)
  return (
    <Spotlight.Root
      store={store}
      query={query}
      onQueryChange={setQuery}
      shortcut={null}
      scrollable
      maxHeight="60vh"
      attributes={{ content: { 'aria-label': t('page_shell.search') } }}
    >
      <Spotlight.Search
        aria-label={t('page_keyboard.palette_hint')}
        placeholder={t('page_keyboard.palette_hint')}
        maxLength={MAX_TEXT}
        leftSection={<MagnifyingGlassIcon aria-hidden="true" />}
      />
      <Spotlight.ActionsList>
        {groups.length === 0 && (
          <Spotlight.Empty>{isPending ? t('page_keyboard.palette_searching') : <NothingFound />}</Spotlight.Empty>
        )}
        <FirstSelected ids={groups.flatMap((group) => group.actions.map(({ id }) => id))}>
          {groups.map((group) => (
            <Spotlight.ActionsGroup key={group.label} label={group.label} className={classes['group'] ?? ''}>
              {group.actions.map(({ id, label, note, icon, run }) => (
                <Spotlight.Action
                  key={id}
                  className={classes['action'] ?? ''}
                  label={label}
                  {...(note && { description: note })}
                  leftSection={icon && <Icon of={icon} />}
                  onClick={() => void run()}
                />
              ))}
            </Spotlight.ActionsGroup>
          ))}
        </FirstSelected>
      </Spotlight.ActionsList>
    </Spotlight.Root>
  )
}

const SETTING_ICONS = { light: SunIcon, dark: MoonIcon, language: GlobeIcon }

function Icon({ of }: { of: NonNullable<Action['icon']> }) {
  if (of !== 'light' && of !== 'dark' && of !== 'language') return <SectionIcon of={of} />
  const SettingIcon = SETTING_ICONS[of]
  return <SettingIcon aria-hidden="true" />
}

function NothingFound() {
  const { t } = useTexts()
  return (
    <Stack gap={4}>
      <Text fw={500} c="var(--mantine-color-text)">
        {t('page_keyboard.palette_nothing')}
      </Text>
      <Text size="sm" style={{ textWrap: 'balance' }}>
        {t('page_keyboard.palette_scope')}
      </Text>
    </Stack>
  )
}

/** Spotlight selects the first action when the text changes, before the results of that text are shown, and none at first. */
function FirstSelected({ ids, children }: { ids: readonly string[]; children: ReactNode }) {
  const list = useRef<HTMLDivElement>(null)
  const shown = ids.join(' ')
  useEffect(() => {
    list.current?.querySelector('[data-selected]')?.removeAttribute('data-selected')
    list.current?.querySelector('[data-action]')?.setAttribute('data-selected', 'true')
    store.updateState((state) => ({ ...state, selected: 0 }))
  }, [shown])
  return <div ref={list}>{children}</div>
}
