import {
  Anchor,
  Button,
  Divider,
  NativeSelect,
  type NativeSelectProps,
  Radio,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { tryFragment } from '../../src/api/docs/try.ts'
import { type RouterOutputs, api, queryClient } from '../api.ts'
import { firstRequest, requestExamples } from '../code-examples/request.ts'
import { pageQueries } from '../queries.ts'
import { useTexts } from '../texts/use-texts.ts'
import { CodeTabs } from '../ui/code-tabs.tsx'
import { Confirmation } from '../ui/dialog/confirm-dialog.tsx'
import { CopiedButton, Secret } from '../ui/dialog/secret-dialog.tsx'
import { Failed } from '../ui/fallback.tsx'
import { ServerForm, useServerForm } from '../ui/form/server-form.tsx'
import { AnchorLink } from '../ui/link.tsx'
import { SANDBOX_PHONE } from '../ui/sandbox-phone.ts'
import { Time } from '../ui/time.tsx'
import { useWorkspace } from '../ui/workspace.ts'

export type Key = RouterOutputs['keys']['list'][number]

/** In days. A key with the empty choice never expires. */
const EXPIRIES = ['', '30', '90', '180', '365'] as const

const daysOf = (chosen: string): number | null => (chosen === '' ? null : Number(chosen))

export function NewKey({ onDone }: { onDone: () => void }) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const labels = { name: t('page_keys.name') }
  const form = useServerForm(labels, { name: '', expiry: '' })
  const create = useMutation(
    api.keys.create.mutationOptions({
      onSuccess: () => queryClient.invalidateQueries({ queryKey: api.keys.list.queryKey({ workspaceId }) }),
      onError: form.showFaults,
    }),
  )
  if (create.data) return <ShownOnce apiKey={create.data.apiKey} onDone={onDone} />
  return (
    <ServerForm
      form={form}
      call={create}
      onSubmit={({ name, expiry }) => create.mutate({ workspaceId, name, expiresInDays: daysOf(expiry) })}
    >
      <TextInput description={t('page_keys.name_hint')} data-autofocus {...form.field('name')} />
      <ExpirySelect {...form.getInputProps('expiry')} />
      <Button type="submit" loading={create.isPending}>
        {t('page_keys.create')}
      </Button>
    </ServerForm>
  )
}

function ExpirySelect(props: NativeSelectProps) {
  const { t } = useTexts()
  return (
    <NativeSelect
      label={t('page_keys.expiry')}
      description={t('page_keys.expiry_hint')}
      data={EXPIRIES.map((days) => ({
        value: days,
        label: days === '' ? t('page_keys.no_expiry') : t('page_keys.after_days', { count: Number(days) }),
      }))}
      {...props}
    />
  )
}

const OVERLAPS = ['none', 'hour', 'day', 'week'] as const
type Overlap = (typeof OVERLAPS)[number]

export function RotateKey({ of: { publicId }, onDone }: { of: Key; onDone: () => void }) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const [overlap, setOverlap] = useState<Overlap>('day')
  const [expiry, setExpiry] = useState('')
  const rotate = useMutation(
    api.keys.rotate.mutationOptions({
      onSuccess: () => queryClient.invalidateQueries({ queryKey: api.keys.list.queryKey({ workspaceId }) }),
    }),
  )
  if (rotate.data) {
    const { apiKey, oldExpiresAt } = rotate.data
    const note = (
      <Text size="sm">
        {overlap === 'none' ? t('page_keys.stopped') : t('page_keys.rotated')}{' '}
        {overlap !== 'none' && <Time at={oldExpiresAt} kind="due" />}
      </Text>
    )
    return <ShownOnce apiKey={apiKey} note={note} onDone={onDone} />
  }
  return (
    <Stack>
      <Text size="sm">{t('page_keys.rotate_about')}</Text>
      <Radio.Group label={t('page_keys.overlap')} value={overlap} onChange={setOverlap}>
        <Stack gap="xs" mt="xs">
          {OVERLAPS.map((each) => (
            <Radio key={each} value={each} label={t(`page_keys.overlaps_${each}`)} />
          ))}
        </Stack>
      </Radio.Group>
      <ExpirySelect
        label={t('page_keys.new_expiry')}
        value={expiry}
        onChange={(event) => setExpiry(event.currentTarget.value)}
      />
      {rotate.error && <Failed error={rotate.error} />}
      <Button
        loading={rotate.isPending}
        onClick={() => rotate.mutate({ workspaceId, publicId, overlap, expiresInDays: daysOf(expiry) })}
      >
        {t('page_keys.rotate')}
      </Button>
    </Stack>
  )
}

export function RevokeKey({ of: key, onDone }: { of: Key; onDone: () => void }) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const { publicId } = key
  const { data } = useQuery({ ...pageQueries.keys({ workspaceId }), staleTime: 0 }) // the last use decides
  const { lastUsedAt } = data?.find((each) => each.publicId === publicId) ?? key
  const revoke = useMutation(
    api.keys.revoke.mutationOptions({
      async onSuccess() {
        await queryClient.invalidateQueries({ queryKey: api.keys.list.queryKey({ workspaceId }) })
        notifications.show({ message: t('page_keys.revoked') })
        onDone()
      },
    }),
  )
  return (
    <Confirmation
      doing={revoke}
      yes={t('page_keys.revoke_it')}
      no={t('page_keys.keep')}
      colour="red"
      onYes={() => revoke.mutate({ workspaceId, publicId })}
      onNo={onDone}
    >
      <Text size="sm">{t('page_keys.revoke_about')}</Text>
      <Text size="sm">
        <code>dck_{publicId}_…</code>
      </Text>
      <Text size="sm">
        {lastUsedAt ? t('page_keys.last_used_at') : t('page_keys.never_used')}{' '}
        {lastUsedAt && <Time at={lastUsedAt} kind="past" form="relative" />}
        {lastUsedAt && '. '}
        {t('page_keys.use_recorded')}
      </Text>
    </Confirmation>
  )
}

/** The complete key, shown only once, and a request to try it with. */
function ShownOnce({ apiKey, note, onDone }: { apiKey: string; note?: ReactNode; onDone: () => void }) {
  const { t } = useTexts()
  return (
    <Stack>
      <Secret text={apiKey} title={t('page_keys.once_title')} />
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
          <AnchorLink to={FIX_PAGES[data.missing]} params={{ workspaceId }}>
            {t(`page_keys.fix_${data.missing}`)}
          </AnchorLink>
        </Text>
      )}
    </Stack>
  )
}
