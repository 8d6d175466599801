import { useMantineColorScheme } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { LANGUAGES, LANGUAGE_NAMES } from '../../../locales/text.ts'
import { plainNumber } from '../../../locales/typed-digits.ts'
import { visibleText } from '../../../locales/visible-text.ts'
import { MIN_PART_CHARACTERS } from '../../../src/lib/lists/min-part-characters.ts'
import { isErased } from '../../../src/lib/phone/erased-recipient.ts'
import { type RouterOutputs, api } from '../../api.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { sectionsOf } from '../navigation/sections.ts'
import { phoneText } from '@doorcode/whatsapp-emulator/wire/phone-groups.ts'
import { isOfWorkspace, slowPolling } from '../shell/refetch.ts'
import { statusWord } from '../state/status.ts'
import { type Workspace, useSession } from '../workspace.ts'
import { type Action, useDeeds, useRecent } from './actions.ts'

/** How many other workspaces are shown without a query. */
const MAX_WORKSPACES = 5

type ActionGroup = { label: string; actions: Action[] }

/**
 * What matches the query: first what was opened last, the pages, whose names people type, and the actions, then what the workspace
 * has. Without a query all pages and actions.
 */
export function useGroups(
  workspace: Workspace,
  query: string,
  isOpen: boolean,
): { groups: ActionGroup[]; isPending: boolean } {
  const { t } = useTexts()
  const { found, isPending } = useSearchResults(workspace.workspaceId, query)
  const pages = usePages(workspace)
  const workspaces = useWorkspaces(workspace)
  const appearance = useAppearance()
  const results = useResults(workspace)
  const deeds = useDeeds(workspace, query, isOpen)
  const recent = useRecent(workspace)
  const matches = ({ label }: Action): boolean => label.toLowerCase().includes(query.toLowerCase())
  const isNumber = (id: string): boolean => id === 'block' && /^\+?\d/.test(plainNumber(query))
  const groups = [
    { label: t('page_keyboard.palette_recent'), actions: query === '' ? recent : recent.filter(matches) },
    { label: t('page_keyboard.palette_pages'), actions: pages.filter(matches) },
    { label: t('page_keyboard.palette_actions'), actions: deeds.filter((each) => matches(each) || isNumber(each.id)) },
    { label: t('page_keyboard.palette_workspaces'), actions: workspaces.filter(matches).slice(0, MAX_WORKSPACES) },
    ...(found ? results(found) : []),
    { label: t('page_keyboard.palette_settings'), actions: appearance.filter(matches) },
  ]
  return { groups: groups.filter(({ actions }) => actions.length > 0), isPending }
}

function usePages(workspace: Workspace): Action[] {
  const { t } = useTexts()
  const navigate = useNavigate()
  return sectionsOf(workspace).map(({ name, to }) => ({
    id: name,
    label: t(`page_shell.${name}`),
    icon: name,
    run: () => navigate({ to, params: { workspaceId: workspace.workspaceId } }),
  }))
}

function useWorkspaces({ workspaceId: current }: Workspace): Action[] {
  const { workspaces } = useSession()
  const navigate = useNavigate()
  return workspaces
    .filter(({ workspaceId }) => workspaceId !== current)
    .map(({ workspaceId, name }) => ({
      id: workspaceId,
      label: name,
      run: () => navigate({ to: '/w/$workspaceId/overview', params: { workspaceId } }),
    }))
}

function useAppearance(): Action[] {
  const { t, choose } = useTexts()
  const { setColorScheme } = useMantineColorScheme()
  return [
    ...(['light', 'dark'] as const).map((scheme) => ({
      id: scheme,
      label: `${t('page_shell.colours')}${t('page_shell.colon')}${t(`page_shell.${scheme}`)}`,
      icon: scheme,
      run: () => setColorScheme(scheme),
    })),
    ...LANGUAGES.map((language) => ({
      id: language,
      label: `${t('page_shell.language')}${t('page_shell.colon')}${LANGUAGE_NAMES[language]}`,
      icon: 'language' as const,
      run: () => choose(language),
    })),
  ]
}

/** Numbers and addresses read from left to right, even within Arabic. */
const leftToRight = (text: string): string => `\u2066${text}\u2069`

const recipientText = ({ t }: ReturnType<typeof useTexts>, recipient: string): string =>
  isErased(recipient) ? t('page_shell.erased_recipient') : leftToRight(phoneText(recipient))

const noteOf = (...parts: (string | null)[]): string => parts.filter(Boolean).join(' · ')

function useResults({ workspaceId }: Workspace): (found: SearchResults) => ActionGroup[] {
  const texts = useTexts()
  const { t } = texts
  const navigate = useNavigate()
  return ({ confirmations, messages, templates, senders, endpoints }) => [
    {
      label: t('page_shell.confirmations'),
      actions: confirmations.map(({ id, reference, recipient, status }) => ({
        id,
        label: reference === '' ? recipientText(texts, recipient) : visibleText(reference),
        note: noteOf(
          statusWord(texts, 'confirmation', status),
          reference === '' ? null : recipientText(texts, recipient),
        ),
        icon: 'confirmations',
        run: () =>
          navigate({
            to: '/w/$workspaceId/confirmations/$confirmationId',
            params: { workspaceId, confirmationId: id },
          }),
      })),
    },
    {
      label: t('page_shell.messages'),
      actions: messages.map(({ id, recipient, reference, status }) => ({
        id,
        label: recipientText(texts, recipient),
        note: noteOf(statusWord(texts, 'message', status), reference && visibleText(reference)),
        icon: 'messages',
        run: () => navigate({ to: '/w/$workspaceId/messages/$messageId', params: { workspaceId, messageId: id } }),
      })),
    },
    {
      label: t('page_shell.templates'),
      actions: templates.map(({ accountId, name, language, status }) => ({
        id: `${accountId} ${name} ${language}`,
        label: leftToRight(name),
        note: noteOf(language, statusWord(texts, 'template', status)),
        icon: 'templates',
        run: () =>
          navigate({
            to: '/w/$workspaceId/templates/$accountId/$name/$language',
            params: { workspaceId, accountId, name, language },
          }),
      })),
    },
    {
      label: t('page_shell.senders'),
      actions: senders.map(({ senderId, phoneNumber, verifiedName }) => ({
        id: senderId,
        label: leftToRight(phoneNumber),
        note: noteOf(verifiedName),
        icon: 'senders',
        run: () => navigate({ to: '/w/$workspaceId/senders', params: { workspaceId } }),
      })),
    },
    {
      label: t('page_shell.endpoints'),
      actions: endpoints.map(({ endpointId, url, description, status }) => ({
        id: endpointId,
        label: description || leftToRight(url),
        note: noteOf(statusWord(texts, 'endpoint', status), description && leftToRight(url)),
        icon: 'endpoints',
        run: () => navigate({ to: '/w/$workspaceId/endpoints/$endpointId', params: { workspaceId, endpointId } }),
      })),
    },
  ]
}

const SEARCH_PAUSE_MS = 200

type SearchResults = RouterOutputs['search']['all']

/** What the workspace has that matches the text. Pending while the answer belongs to an earlier text. */
function useSearchResults(
  workspaceId: string,
  query: string,
): { found: SearchResults | undefined; isPending: boolean } {
  const [text] = useDebouncedValue(query, SEARCH_PAUSE_MS)
  const enabled = text.length >= MIN_PART_CHARACTERS && query.length >= MIN_PART_CHARACTERS
  const { data, isLoading, isPlaceholderData } = useQuery({
    ...api.search.all.queryOptions({ workspaceId, text }),
    enabled,
    placeholderData: (before, query) => (query && isOfWorkspace(query.queryKey, workspaceId) ? before : undefined),
    ...slowPolling,
  })
  const isPending = query.length >= MIN_PART_CHARACTERS && (isLoading || isPlaceholderData || text !== query)
  return { found: enabled ? data : undefined, isPending }
}
