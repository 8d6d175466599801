import type { Pair } from '@doorcode/whatsapp-emulator/wire/chats.ts'
import { Box, Button, Group, Stack, Text, Title } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { api, queryClient } from '../api.ts'
import { requestExamples } from '../code-examples/request.ts'
import { type SendableTemplate, apiRequestOf, requestOf } from '../phone/request.ts'
import type { PhoneState } from '../phone/workspace-time.tsx'
import { parametersIn } from '../templates/preview.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Copyable } from '../ui/as-typed.tsx'
import { useBusySandbox } from '../ui/busy-sandbox.ts'
import { CodeTabs } from '../ui/code-tabs.tsx'
import { Failed, Loading } from '../ui/fallback.tsx'
import { AnchorLink } from '../ui/link.tsx'
import { isOfWorkspace } from '../ui/shell/refetch.ts'
import { useWorkspace } from '../ui/workspace.ts'
import { KEY_DAYS, useCreateKey } from './set-up.tsx'

type Props = {
  state: PhoneState
  pair: Pair
  languages: readonly string[]
  apiKey: string | undefined
  onKey: (apiKey: string) => void
  /** How the last order stands. */
  children: ReactNode
}

/** The least that the request takes: what is below it on a narrow screen does not move when it has loaded. */
const REQUEST_HEIGHT = 460

/** The request in the reader's language of programming, ready to run, and a button that sends the same. */
export function RequestPanel({ languages, ...props }: Props) {
  const { t, language } = useTexts()
  const { workspaceId } = useWorkspace()
  const { data, error } = useQuery(api.phone.sendable.queryOptions({ workspaceId, number: props.pair.number }))
  const usable = data?.templates.confirmation.filter((each) => languages.includes(each.language)) ?? []
  const inLanguage = (code: string) => usable.find((each) => each.language.startsWith(code))
  const template = inLanguage(language) ?? inLanguage('en') ?? usable[0]
  return (
    <Stack gap="sm" component="section" aria-labelledby="request" h="100%">
      <Title order={2} size="h4" id="request">
        {t('page_quickstart.request')}
      </Title>
      {!data && !error && (
        <Box mih={REQUEST_HEIGHT}>
          <Loading as="form" />
        </Box>
      )}
      {error && !data && <Failed error={error} />}
      {data && template && (
        <Request
          senderId={data.senderId}
          template={{ name: template.name, language: template.language, ...parametersIn(template) }}
          {...props}
        />
      )}
      {data && !template && (
        <Text size="sm">
          {t('page_phone.no_template_confirmation')}{' '}
          <AnchorLink size="sm" to="/w/$workspaceId/templates">
            {t('page_phone.to_templates')}
          </AnchorLink>
        </Text>
      )}
    </Stack>
  )
}

type RequestProps = Omit<Props, 'languages'> & { senderId: string; template: SendableTemplate }

function Request({ state, pair, senderId, template, apiKey, onKey, children }: RequestProps) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const busy = useBusySandbox()
  const [order, setOrder] = useState(someOrder)
  const send = useMutation(
    api.phone.sendConfirmation.mutationOptions({
      onSuccess() {
        setOrder(order + 1)
        return queryClient.invalidateQueries({ predicate: ({ queryKey }) => isOfWorkspace(queryKey, workspaceId) })
      },
    }),
  )
  const reference = `A-${order}`
  const place = { to: pair.phone, senderId, confirmationId: undefined }
  const request = requestOf('confirmation', template, { code: '', reference, header: undefined, values: {} }, place)
  const shown = { ...apiRequestOf(state.baseUrl, request), apiKey }
  return (
    <>
      <Group gap="sm">
        <Button
          disabled={busy !== undefined}
          loading={send.isPending}
          onClick={() => request.kind === 'confirmation' && send.mutate({ workspaceId, body: request.body })}
        >
          {t('page_quickstart.send')}
        </Button>
        <Text size="sm" c="dimmed" flex={1} miw={260}>
          {busy ?? t('page_quickstart.send_or_run')}
        </Text>
      </Group>
      {send.error && <Failed error={send.error} />}
      {children}
      <CodeTabs label={t('page_quickstart.request')} of={requestExamples(shown)} maxHeight={CODE_HEIGHT} />
      <Key apiKey={apiKey} onKey={onKey} />
    </>
  )
}

/** px; the whole request is longer than most screens, and the webhook below it matters more. */
const CODE_HEIGHT = 260

function Key({ apiKey, onKey }: Pick<Props, 'apiKey' | 'onKey'>) {
  const { t } = useTexts()
  const create = useCreateKey(onKey)
  if (apiKey !== undefined)
    return (
      <Stack gap={4}>
        <Copyable text={apiKey} />
        <Text size="sm" c="dimmed">
          {t('page_quickstart.key_shown', { count: KEY_DAYS })}
        </Text>
      </Stack>
    )
  return (
    <>
      {create.error && <Failed error={create.error} />}
      <Text size="sm" c="dimmed">
        {t('page_quickstart.key_missing')}{' '}
        <Button variant="subtle" size="compact-sm" loading={create.isPending} onClick={create.mutate}>
          {t('page_quickstart.create_key')}
        </Button>
      </Text>
    </>
  )
}

/** Each request has the next number. */
const someOrder = (): number => 1_000 + Math.floor(Math.random() * 8_000)
