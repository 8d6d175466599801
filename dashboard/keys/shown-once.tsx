import { Anchor, Divider, Stack, Text, TextInput, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { api } from '../api.ts'
import { useTexts } from '../texts/use-texts.ts'
import { SANDBOX_PHONE, firstRequest } from '../code-examples/first-request.ts'
import { requestExamples } from '../code-examples/request.ts'
import { tryFragment } from '../../src/api/docs/try.ts'
import { CodeTabs } from '../ui/code-block.tsx'
import { CopiedButton, Secret } from '../ui/dialog/secret-dialog.tsx'
import { useWorkspace } from '../ui/workspace.ts'

/** The complete key, shown only once, and a request to try it with. */
export function ShownOnce({ apiKey, note, onDone }: { apiKey: string; note?: ReactNode; onDone: () => void }) {
  const { t } = useTexts()
  return (
    <Stack>
      <Title order={3} size="h5">
        {t('page_keys.once_title')}
      </Title>
      <Secret text={apiKey} />
      <Text size="sm">{t('page_keys.once')}</Text>
      {note}
      <Divider />
      <FirstRequest apiKey={apiKey} />
      <CopiedButton onClick={onDone}>{t('page_keys.done')}</CopiedButton>
    </Stack>
  )
}

const FIX_PAGES = {
  account: '/w/$workspaceId/senders',
  sender: '/w/$workspaceId/senders',
  template: '/w/$workspaceId/templates',
} as const

function FirstRequest({ apiKey }: { apiKey: string }) {
  const { t, language } = useTexts()
  const { workspaceId, sandbox } = useWorkspace()
  const [to, setTo] = useState(sandbox ? SANDBOX_PHONE : '')
  const { data } = useQuery(api.keys.firstRequest.queryOptions({ workspaceId, language }))
  if (!data) return null
  return (
    <Stack gap="xs">
      <Title order={3} size="h5">
        {t('page_keys.try_it')}
      </Title>
      {data.missing === null ? (
        <>
          <TextInput
            label={t('page_keys.send_to')}
            description={sandbox ? t('page_keys.send_to_sandbox') : t('page_keys.send_to_live')}
            placeholder="+212612345678"
            type="tel"
            dir="ltr"
            value={to}
            onChange={(event) => setTo(event.currentTarget.value)}
          />
          {to.trim() === '' ? (
            <Text size="sm" c="dimmed">
              {t('page_keys.needs_phone')}
            </Text>
          ) : (
            <CodeTabs
              label={t('page_keys.try_it')}
              of={requestExamples({ ...firstRequest(data, to.trim()), apiKey })}
            />
          )}
          <Text size="sm">
            <Anchor inherit href={`/docs${tryFragment(data, apiKey)}`} target="_blank" rel="noreferrer">
              {t('page_keys.try_in_reference')}
            </Anchor>
            {!sandbox && <> {t('page_keys.try_in_reference_live')}</>}
          </Text>
        </>
      ) : (
        <Text size="sm">
          {t(`page_keys.missing_${data.missing}`)}{' '}
          <Anchor renderRoot={(props) => <Link {...props} to={FIX_PAGES[data.missing]} params={{ workspaceId }} />}>
            {t(`page_keys.fix_${data.missing}`)}
          </Anchor>
        </Text>
      )}
    </Stack>
  )
}
