import '@mantine/spotlight/styles.css'
import { useMantineColorScheme } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { Spotlight, createSpotlight } from '@mantine/spotlight'
import { MagnifyingGlassIcon } from '@radix-ui/react-icons'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { LANGUAGES, LANGUAGE_NAMES } from '../../../locales/text.ts'
import { visibleText } from '../../../locales/visible-text.ts'
import { api } from '../../api.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { statusWord } from '../state/status.ts'
import { type Workspace, useSession } from '../workspace.ts'
import { sectionsOf } from './sections.ts'
import { SECTION_ICONS } from './section-icons.ts'

const [store, actions] = createSpotlight()

export const openPalette = actions.open

/** Shorter texts match too much. */
const MIN_SEARCH = 3
const MAX_RESULTS = 5
const SEARCH_PAUSE_MS = 200

type Action = { id: string; label: string; note?: string; run: () => unknown }

/** Goes to any page, workspace, message or order, and switches the theme and the language, from the keyboard. */
export default function Palette({ workspace }: { workspace: Workspace }) {
  const { t } = useTexts()
  const [query, setQuery] = useState('')
  const groups = useGroups(workspace, query.trim())
  useFirstSelected(groups.flatMap(({ found }) => found.map(({ id }) => id)))
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
        aria-label={t('page_shell.palette_hint')}
        placeholder={t('page_shell.palette_hint')}
        leftSection={<MagnifyingGlassIcon aria-hidden="true" />}
      />
      <Spotlight.ActionsList>
        {groups.length === 0 && <Spotlight.Empty>{t('page_shell.palette_nothing')}</Spotlight.Empty>}
        {groups.map(({ label, found }) => (
          <Spotlight.ActionsGroup key={label} label={label}>
            {found.map(({ id, label: name, note, run }) => (
              <Spotlight.Action
                key={id}
                label={name}
                {...(note !== undefined && { description: note })}
                leftSection={<SectionIcon id={id} />}
                onClick={() => void run()}
              />
            ))}
          </Spotlight.ActionsGroup>
        ))}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  )
}

/** Spotlight selects the first action when the text changes, before the results of that text are shown. */
function useFirstSelected(ids: readonly string[]): void {
  const shown = ids.join(' ')
  useEffect(() => {
    const list = document.getElementById(store.getState().listId)
    list?.querySelector('[data-selected]')?.removeAttribute('data-selected')
    list?.querySelector('[data-action]')?.setAttribute('data-selected', 'true')
    store.updateState((state) => ({ ...state, selected: 0 }))
  }, [shown])
}

function SectionIcon({ id }: { id: string }) {
  const Icon = Object.hasOwn(SECTION_ICONS, id) ? SECTION_ICONS[id as keyof typeof SECTION_ICONS] : undefined
  return Icon && <Icon aria-hidden="true" />
}

function useGroups(workspace: Workspace, query: string): { label: string; found: Action[] }[] {
  const texts = useTexts()
  const { t, choose } = texts
  const navigate = useNavigate()
  const { workspaces } = useSession()
  const { setColorScheme } = useMantineColorScheme()
  const found = useFound(workspace.workspaceId, query)
  const { workspaceId } = workspace
  const matches = ({ label }: Action): boolean => label.toLowerCase().includes(query.toLowerCase())
  const pages = sectionsOf(workspace).map(({ name, to }) => ({
    id: name,
    label: t(`page_shell.${name}`),
    run: () => navigate({ to, params: { workspaceId } }),
  }))
  const others = workspaces
    .filter((each) => each.workspaceId !== workspaceId)
    .map((each) => ({
      id: each.workspaceId,
      label: each.name,
      run: () => navigate({ to: '/w/$workspaceId/overview', params: { workspaceId: each.workspaceId } }),
    }))
  const settings = [
    ...(['light', 'dark'] as const).map((scheme) => ({
      id: scheme,
      label: `${t('page_shell.colours')}${t('page_shell.colon')}${t(`page_shell.${scheme}`)}`,
      run: () => setColorScheme(scheme),
    })),
    ...LANGUAGES.map((language) => ({
      id: language,
      label: `${t('page_shell.language')}${t('page_shell.colon')}${LANGUAGE_NAMES[language]}`,
      run: () => choose(language),
    })),
  ]
  const messages = (found.messages ?? []).map(({ id, recipient, reference, status }) => ({
    id,
    label: `\u2066${recipient}\u2069`,
    note: [statusWord(texts, 'message', status), reference && visibleText(reference)].filter(Boolean).join(' · '),
    run: () => navigate({ to: '/w/$workspaceId/messages/$messageId', params: { workspaceId, messageId: id } }),
  }))
  const orders = (found.orders ?? []).map(({ id, recipient, reference, status }) => ({
    id,
    label: visibleText(reference),
    note: `${statusWord(texts, 'order', status)} · \u2066${recipient}\u2069`,
    run: () =>
      navigate({ to: '/w/$workspaceId/confirmations/$confirmationId', params: { workspaceId, confirmationId: id } }),
  }))
  return [
    { label: t('page_shell.messages'), found: messages },
    { label: t('page_shell.confirmations'), found: orders },
    { label: t('page_shell.palette_pages'), found: pages.filter(matches) },
    { label: t('page_shell.palette_workspaces'), found: others.filter(matches).slice(0, MAX_RESULTS) },
    { label: t('page_shell.palette_settings'), found: settings.filter(matches) },
  ].filter((group) => group.found.length > 0)
}

/** Messages and orders by the same search as in their lists. */
function useFound(workspaceId: string, query: string) {
  const [text] = useDebouncedValue(query, SEARCH_PAUSE_MS)
  const enabled = text.length >= MIN_SEARCH && query.length >= MIN_SEARCH
  const options = { enabled, placeholderData: keepPreviousData } as const
  const messages = useQuery({ ...api.messages.list.queryOptions({ workspaceId, text }), ...options })
  const orders = useQuery({ ...api.confirmations.list.queryOptions({ workspaceId, text }), ...options })
  return {
    messages: enabled ? messages.data?.rows.slice(0, MAX_RESULTS) : undefined,
    orders: enabled ? orders.data?.rows.slice(0, MAX_RESULTS) : undefined,
  }
}
