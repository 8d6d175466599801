import { Button, List, Paper, Stack, Text, ThemeIcon, Title } from '@mantine/core'
import { CheckIcon, DotFilledIcon } from '@radix-ui/react-icons'
import { useMutation } from '@tanstack/react-query'
import { api, queryClient } from '../api.ts'
import { documentOf } from '../cod-settings/draft.ts'
import { languagesOfTemplates } from '../cod-settings/languages.tsx'
import { firstDraft } from '../cod-settings/start.tsx'
import { pageQueries } from '../queries.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Failed } from '../ui/fallback.tsx'
import { isOfWorkspace } from '../ui/shell/refetch.ts'
import { useWorkspace } from '../ui/workspace.ts'

type Part = 'emulator' | 'settings' | 'endpoint'
type Props = { lacks: Record<Part, boolean>; receiverUrl: string; onKey: (apiKey: string) => void }

/** One button for all that a first request needs. After an error a second click continues with what is still missing. */
export function SetUp({ lacks, receiverUrl, onKey }: Props) {
  const { t } = useTexts()
  const setUp = useSetUp({ lacks, receiverUrl, onKey })
  const parts = [...(['emulator', 'settings', 'endpoint'] as const), 'key' as const]
  return (
    <Paper withBorder p="xl" component="section" aria-labelledby="set-up">
      <Stack gap="md" maw={620}>
        <Title order={2} size="h4" id="set-up">
          {t('page_quickstart.set_up_title')}
        </Title>
        <List spacing="xs" size="sm" ps={0} listStyleType="none">
          {parts.map((part) => {
            const isThere = part !== 'key' && !lacks[part]
            return (
              <List.Item key={part} icon={<PartIcon isThere={isThere} />}>
                {t(`page_quickstart.part_${part}`)}
                {isThere && (
                  <Text span inherit c="dimmed">
                    {' '}
                    · {t('page_overview.done')}
                  </Text>
                )}
              </List.Item>
            )
          })}
        </List>
        {setUp.error && <Failed error={setUp.error} />}
        <Button w="fit-content" loading={setUp.isPending} onClick={() => setUp.mutate()}>
          {t('page_quickstart.set_up')}
        </Button>
      </Stack>
    </Paper>
  )
}

const PartIcon = ({ isThere }: { isThere: boolean }) => (
  <ThemeIcon variant="light" color={isThere ? 'success' : 'neutral'} size={22} radius="xl" aria-hidden="true">
    {isThere ? <CheckIcon /> : <DotFilledIcon />}
  </ThemeIcon>
)

function useSetUp({ lacks, receiverUrl: url, onKey }: Props) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const { mutateAsync: connect } = useMutation(api.phone.connect.mutationOptions())
  const { mutateAsync: save } = useMutation(api.codSettings.save.mutationOptions())
  const { mutateAsync: addEndpoint } = useMutation(api.endpoints.add.mutationOptions())
  const { mutateAsync: createKey } = useCreateKey(onKey)
  return useMutation({
    async mutationFn() {
      if (lacks.emulator) await connect({ workspaceId })
      if (lacks.settings) {
        // The languages of the account that was just connected.
        const known = await queryClient.fetchQuery({ ...pageQueries.codSettings({ workspaceId }), staleTime: 0 })
        const languages = languagesOfTemplates(known.templates)
        const draft = firstDraft(known, languages.length > 0 ? languages : Object.keys(known.starts).slice(0, 1))
        if (!known.stored) await save({ workspaceId, settings: documentOf(draft), basedOn: null })
      }
      if (lacks.endpoint) await addEndpoint({ workspaceId, url, description: t('page_quickstart.receiver') })
      await createKey()
    },
    // Also after an error: what was made stays.
    onSettled: () =>
      queryClient.invalidateQueries({ predicate: ({ queryKey }) => isOfWorkspace(queryKey, workspaceId) }),
  })
}

/** A key for trying things ends soon, so that it cannot be forgotten somewhere. */
export const KEY_DAYS = 30

export function useCreateKey(onKey: (apiKey: string) => void) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const create = useMutation(
    api.keys.create.mutationOptions({
      onSuccess: ({ apiKey }) => {
        onKey(apiKey)
        return queryClient.invalidateQueries({ queryKey: api.keys.list.queryKey({ workspaceId }) })
      },
    }),
  )
  const input = { workspaceId, name: t('page_quickstart.title'), expiresInDays: KEY_DAYS }
  return {
    ...create,
    mutate: () => create.mutate(input),
    mutateAsync: () => create.mutateAsync(input),
  }
}
