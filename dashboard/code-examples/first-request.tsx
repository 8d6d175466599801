import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { api } from '../api.ts'
import { useTexts } from '../texts/use-texts.ts'
import { CodeTabs } from '../ui/code-tabs.tsx'
import { SANDBOX_PHONE } from '../ui/sandbox-phone.ts'
import { useWorkspace } from '../ui/workspace.ts'
import { firstRequest, requestExamples } from './request.ts'

/** A placeholder for the person's own number. */
const LIVE_PHONE = '+212612345678'

/** The request that sends a first code. Shown when an account, a sender and a template can be used. */
export function FirstRequest() {
  const { t, language } = useTexts()
  const { workspaceId, sandbox } = useWorkspace()
  const { data } = useQuery(api.keys.firstRequest.queryOptions({ workspaceId, language }))
  if (data?.missing !== null) return null
  return (
    <Stack gap="xs" mt="xs" miw={0} w="100%">
      <Text size="sm">{t('page_overview.step_example')}</Text>
      <CodeTabs
        label={t('page_overview.step_message')}
        of={requestExamples(firstRequest(data, sandbox ? SANDBOX_PHONE : LIVE_PHONE))}
      />
    </Stack>
  )
}
