import type { Pair } from '@doorcode/whatsapp-emulator/wire/chats.ts'
import { Button, NativeSelect, SegmentedControl, Stack, Text, TextInput, VisuallyHidden } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, queryClient } from '../api.ts'
import { requestExamples } from '../code-examples/request.ts'
import { parametersIn } from '../templates/preview.ts'
import { useTexts } from '../texts/use-texts.ts'
import { PhoneNumber } from '../ui/as-typed.tsx'
import { useBusySandbox } from '../ui/busy-sandbox.ts'
import { CodeTabs } from '../ui/code-tabs.tsx'
import { Failed } from '../ui/fallback.tsx'
import { useFaults } from '../ui/form/faults.ts'
import { FormErrors } from '../ui/form/form-errors.tsx'
import { AnchorLink } from '../ui/link.tsx'
import { isOfWorkspace } from '../ui/shell/refetch.ts'
import { usePermissions, useWorkspace } from '../ui/workspace.ts'
import {
  type Draft,
  type Kind,
  type SendRequest,
  type Sendable,
  type SendableTemplate,
  apiRequestOf,
  firstValue,
  meaningOf,
  requestOf,
  someCode,
} from './request.ts'

const KINDS = ['otp', 'confirmation', 'refusal'] as const satisfies readonly Kind[]

/** Of the form for a code: what is below does not move when the newest chat and its templates have loaded. */
const FORM_HEIGHT = 364

/** Sends a message to the open phone with the API's functions. */
export function Send({ customer, baseUrl }: { customer: Pair | undefined; baseUrl: string }) {
  const { t } = useTexts()
  const may = usePermissions()
  return (
    <section aria-labelledby="send">
      <VisuallyHidden component="h2" id="send">
        {t('page_phone.send')}
      </VisuallyHidden>
      <Stack gap="xs" mih={may.change ? FORM_HEIGHT : undefined}>
        {!may.change && <Text size="sm">{t('page_phone.only_admins_send')}</Text>}
        {may.change && !customer && <Text size="sm">{t('page_phone.choose_first')}</Text>}
        {may.change && customer && <SendTo customer={customer} baseUrl={baseUrl} />}
      </Stack>
    </section>
  )
}

function SendTo({ customer, baseUrl }: { customer: Pair; baseUrl: string }) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const [kind, setKind] = useState<Kind>('otp')
  const { data, error } = useQuery(api.phone.sendable.queryOptions({ workspaceId, number: customer.number }))
  return (
    <>
      <SegmentedControl
        fullWidth
        size="xs"
        aria-label={t('page_phone.kind')}
        value={kind}
        onChange={setKind}
        data={KINDS.map((value) => ({ value, label: t(`page_phone.send_kinds_${value}`) }))}
      />
      {error && <Failed error={error} />}
      {data && <SendForm key={kind} kind={kind} sendable={data} customer={customer} baseUrl={baseUrl} />}
    </>
  )
}

/** The list is refetched: a position in it may become another template's. */
const keyOf = ({ name, language }: { name: string; language: string }): string => `${name}:${language}`

type SendFormProps = { kind: Kind; sendable: Sendable; customer: Pair; baseUrl: string }

function SendForm({ kind, sendable: { senderId, templates }, customer, baseUrl }: SendFormProps) {
  const { t, language } = useTexts()
  const { workspaceId } = useWorkspace()
  const choices = templates[kind]
  const [chosen, setChosen] = useState<string>()
  const [draft, setDraft] = useState<Draft>(firstDraft)
  const [asked, setAsked] = useState<string>()
  const { data: confirmations } = useQuery({
    ...api.phone.confirmations.queryOptions({ workspaceId, ...customer }),
    enabled: kind === 'refusal',
  })
  const sending = useSending(workspaceId)
  const busy = useBusySandbox()
  const labels = {
    'body.code': t('page_phone.code'),
    'body.reference': kind === 'confirmation' ? t('page_phone.order') : t('page_phone.reference'),
  }
  const faultsIn = useFaults({ ...labels, 'body.to': t('page_chats.phone_number') })
  const choice =
    choices.find((each) => keyOf(each) === chosen) ??
    choices.find((each) => each.language.startsWith(language)) ??
    choices[0]
  if (!choice) return <NoTemplate kind={kind} />
  const askable = confirmations?.filter(({ refusalStatus }) => refusalStatus === null) ?? []
  const about = askable.find((each) => each.confirmationId === asked) ?? askable[0]
  if (kind === 'refusal' && confirmations && !about) return <Text size="sm">{t('page_phone.no_confirmation')}</Text>

  const confirmationId = about?.confirmationId
  const template = { name: choice.name, language: choice.language, ...parametersIn(choice) }
  const filled = { ...draft, ...(kind === 'refusal' && about && { reference: about.reference }) }
  const request = requestOf(kind, template, filled, { to: customer.phone, senderId, confirmationId })
  const errors = faultsIn(sending.error)
  const change = (changed: Partial<Draft>): void => setDraft({ ...draft, ...changed })
  const field = (name: 'code' | 'reference') => ({
    label: labels[`body.${name}`],
    value: draft[name],
    error: errors[`body.${name}`],
    'data-path': `body.${name}`,
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) => change({ [name]: currentTarget.value }),
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (!sending.isPending && busy === undefined) sending.send(request)
      }}
    >
      <Stack gap="xs">
        <FormErrors errors={errors} labels={labels} failed={sending.error} />
        <NativeSelect
          label={t('page_phone.template')}
          value={keyOf(choice)}
          onChange={({ currentTarget }) => setChosen(currentTarget.value)}
          data={choices.map((each) => ({ value: keyOf(each), label: `${each.name} (${each.language})` }))}
        />
        {kind === 'refusal' && (
          <NativeSelect
            label={t('page_phone.order')}
            value={confirmationId ?? ''}
            onChange={({ currentTarget }) => setAsked(currentTarget.value)}
            data={askable.map((each) => ({ value: each.confirmationId, label: each.reference }))}
          />
        )}
        {kind === 'otp' && <TextInput dir="ltr" {...field('code')} />}
        {kind !== 'refusal' && <TextInput dir="auto" {...field('reference')} />}
        {kind !== 'otp' && template.header !== undefined && (
          <TextInput
            label={t('page_phone.header_value')}
            dir="auto"
            value={draft.header ?? template.header}
            onChange={({ currentTarget }) => change({ header: currentTarget.value })}
          />
        )}
        {kind !== 'otp' && <BodyValues template={template} draft={filled} onChange={(values) => change({ values })} />}
        {busy !== undefined && <Text size="sm">{busy}</Text>}
        <Button type="submit" disabled={busy !== undefined} loading={sending.isPending}>
          {t('page_phone.send_it')}&nbsp;
          <PhoneNumber of={customer.phone} />
        </Button>
        <Text size="sm" role="status">
          {sending.isDone && t('page_phone.sent')}
        </Text>
        <details>
          <Text component="summary" size="sm" style={{ cursor: 'pointer' }}>
            {t('page_phone.as_code')}
          </Text>
          <CodeTabs label={t('page_phone.as_code')} of={requestExamples(apiRequestOf(baseUrl, request))} />
        </details>
        <Text size="xs" c="dimmed">
          {t('page_phone.send_about')}
        </Text>
      </Stack>
    </form>
  )
}

type BodyValuesProps = { template: SendableTemplate; draft: Draft; onChange: (values: Draft['values']) => void }

/** The variables of the text, by what they are for. The order's follows the field of the order. */
function BodyValues({ template: { body }, draft, onChange }: BodyValuesProps) {
  const { t } = useTexts()
  const meanings = body.values.map(([name, sample]) => meaningOf(name, sample))
  return body.values.map(([name, sample], index) => {
    const meaning = meanings[index]
    if (meaning === 'order') return null
    const isFirst = meaning !== undefined && meanings.indexOf(meaning) === index
    return (
      <TextInput
        key={name}
        label={isFirst ? t(`page_phone.meanings_${meaning}`) : t('page_phone.body_value', { variable: `{{${name}}}` })}
        dir="auto"
        value={draft.values[index] ?? firstValue(name, sample, draft)}
        onChange={({ currentTarget }) => onChange({ ...draft.values, [index]: currentTarget.value })}
      />
    )
  })
}

const firstDraft = (): Draft => ({
  code: someCode(Math.random),
  reference: `A-${1_000 + Math.floor(Math.random() * 9_000)}`,
  header: undefined,
  values: {},
})

function NoTemplate({ kind }: { kind: Kind }) {
  const { t } = useTexts()
  return (
    <Text size="sm">
      {t(`page_phone.no_template_${kind}`)}{' '}
      <AnchorLink size="sm" to="/w/$workspaceId/templates">
        {t('page_phone.to_templates')}
      </AnchorLink>
    </Text>
  )
}

/** Three calls as one. */
function useSending(workspaceId: string) {
  const onSuccess = (): void =>
    void queryClient.invalidateQueries({ predicate: ({ queryKey }) => isOfWorkspace(queryKey, workspaceId) })
  const otp = useMutation(api.phone.sendOtp.mutationOptions({ onSuccess }))
  const confirmation = useMutation(api.phone.sendConfirmation.mutationOptions({ onSuccess }))
  const refusal = useMutation(api.phone.sendRefusalCheck.mutationOptions({ onSuccess }))
  const all = [otp, confirmation, refusal]
  return {
    send(request: SendRequest): void {
      switch (request.kind) {
        case 'otp':
          return otp.mutate({ workspaceId, body: request.body })
        case 'confirmation':
          return confirmation.mutate({ workspaceId, body: request.body })
        case 'refusal':
          return refusal.mutate({ workspaceId, confirmationId: request.confirmationId, body: request.body })
      }
    },
    isPending: all.some((each) => each.isPending),
    isDone: all.some((each) => each.isSuccess),
    error: all.find((each) => each.error)?.error ?? null,
  }
}
