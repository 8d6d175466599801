import { Anchor, Button, NativeSelect, SegmentedControl, Stack, Text, TextInput, VisuallyHidden } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Pair } from '../../emulator/phone/chats.ts'
import { api, queries } from '../api.ts'
import { Copyable } from '../ui/copy.tsx'
import { Failed } from '../ui/failed.tsx'
import { useFaults } from '../ui/faults.ts'
import { isOfWorkspace } from '../ui/live.ts'
import { useMay, useWorkspace } from '../ui/workspace.ts'
import { useLanguage, useWords } from '../words.ts'
import {
  type Draft,
  type Kind,
  type SendRequest,
  type Sendable,
  curlOf,
  exampleOf,
  requestOf,
  someCode,
} from './request.ts'
import { phoneWords } from './words.ts'

const KINDS = ['otp', 'confirmation', 'refusal'] as const satisfies readonly Kind[]

/** A message to whoever's phone is open, by the API's own functions. */
export function Send({ customer, baseUrl }: { customer: Pair | undefined; baseUrl: string }) {
  const text = useWords(phoneWords)
  const may = useMay()
  return (
    <section aria-labelledby="send">
      <VisuallyHidden component="h2" id="send">
        {text.send}
      </VisuallyHidden>
      <Stack gap="xs">
        {!may.change && <Text size="sm">{text.onlyAdminsSend}</Text>}
        {may.change && !customer && <Text size="sm">{text.chooseFirst}</Text>}
        {may.change && customer && <SendTo customer={customer} baseUrl={baseUrl} />}
      </Stack>
    </section>
  )
}

function SendTo({ customer, baseUrl }: { customer: Pair; baseUrl: string }) {
  const text = useWords(phoneWords)
  const { workspaceId } = useWorkspace()
  const [kind, setKind] = useState<Kind>('otp')
  const { data, error } = useQuery(api.phone.sendable.queryOptions({ workspaceId, number: customer.number }))
  return (
    <>
      <SegmentedControl
        fullWidth
        size="xs"
        aria-label={text.kind}
        value={kind}
        onChange={setKind}
        data={KINDS.map((value) => ({ value, label: text.sendKinds[value] }))}
      />
      {error && <Failed error={error} />}
      {data && <SendForm key={kind} kind={kind} sendable={data} customer={customer} baseUrl={baseUrl} />}
    </>
  )
}

function SendForm({
  kind,
  sendable: { senderId, templates },
  customer,
  baseUrl,
}: {
  kind: Kind
  sendable: Sendable
  customer: Pair
  baseUrl: string
}) {
  const text = useWords(phoneWords)
  const { workspaceId } = useWorkspace()
  const { language } = useLanguage()
  const choices = templates[kind]
  const [place, setPlace] = useState(() =>
    Math.max(
      0,
      choices.findIndex((each) => each.language.startsWith(language)),
    ),
  )
  const [draft, setDraft] = useState<Draft>(firstDraft)
  const [order, setOrder] = useState<string>()
  const { data: orders } = useQuery({
    ...api.phone.orders.queryOptions({ workspaceId, ...customer }),
    enabled: kind === 'refusal',
  })
  const sending = useSending(workspaceId)
  const labels = { 'body.code': text.code, 'body.reference': text.reference }
  const faultsIn = useFaults(labels)
  const template = choices[place] ?? choices[0]
  if (!template) return <NoTemplate kind={kind} />
  const askable = orders?.filter(({ refusalStatus }) => refusalStatus === null) ?? []
  const about = askable.find((each) => each.confirmationId === order) ?? askable[0]
  if (kind === 'refusal' && orders && !about) return <Text size="sm">{text.noOrder}</Text>

  const confirmationId = about?.confirmationId
  const valueAt = (place: number): string =>
    draft.values[place] ?? exampleOf(place, kind === 'refusal' ? about?.reference : draft.reference)
  const values = template.body.names.map((_, place) => valueAt(place))
  const request = requestOf(kind, template, { ...draft, values }, { to: customer.phone, senderId, confirmationId })
  const faults = faultsIn(sending.error)
  const elsewhere = Object.entries(faults).filter(([path]) => !(path in labels))
  const change = (changed: Partial<Draft>): void => setDraft({ ...draft, ...changed })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (!sending.isPending) sending.send(request)
      }}
    >
      <Stack gap="xs">
        <NativeSelect
          label={text.template}
          size="xs"
          value={String(place)}
          onChange={({ currentTarget }) => setPlace(Number(currentTarget.value))}
          data={choices.map(({ name, language }, at) => ({ value: String(at), label: `${name} (${language})` }))}
        />
        {kind === 'refusal' && (
          <NativeSelect
            label={text.order}
            size="xs"
            value={confirmationId ?? ''}
            onChange={({ currentTarget }) => setOrder(currentTarget.value)}
            data={askable.map((each) => ({ value: each.confirmationId, label: each.reference }))}
          />
        )}
        {kind === 'otp' && (
          <TextInput
            label={text.code}
            size="xs"
            dir="ltr"
            value={draft.code}
            error={faults['body.code']}
            onChange={({ currentTarget }) => change({ code: currentTarget.value })}
          />
        )}
        {kind !== 'otp' && template.header !== null && (
          <TextInput
            label={text.headerValue(template.header)}
            size="xs"
            dir="auto"
            value={draft.header}
            onChange={({ currentTarget }) => change({ header: currentTarget.value })}
          />
        )}
        {kind !== 'otp' &&
          template.body.names.map((name, at) => (
            <TextInput
              key={name}
              label={text.bodyValue(name)}
              size="xs"
              dir="auto"
              value={valueAt(at)}
              onChange={({ currentTarget }) => change({ values: { ...draft.values, [at]: currentTarget.value } })}
            />
          ))}
        {kind !== 'refusal' && (
          <TextInput
            label={text.reference}
            size="xs"
            dir="auto"
            value={draft.reference}
            error={faults['body.reference']}
            onChange={({ currentTarget }) => change({ reference: currentTarget.value })}
          />
        )}
        <Button type="submit" size="sm" loading={sending.isPending}>
          {text.sendIt}&nbsp;<bdi dir="ltr">{customer.phone}</bdi>
        </Button>
        <Text size="sm" role="status">
          {sending.isDone && text.sent}
        </Text>
        {sending.error && <Failed error={sending.error} />}
        {elsewhere.map(([path, sentence]) => (
          <Text key={path} size="sm" c="error">
            {sentence}
          </Text>
        ))}
        <details>
          <Text component="summary" size="sm" style={{ cursor: 'pointer' }}>
            {text.asCurl}
          </Text>
          <Copyable block text={curlOf(baseUrl, request)} />
        </details>
        <Text size="xs" c="dimmed">
          {text.sendAbout}
        </Text>
      </Stack>
    </form>
  )
}

const firstDraft = (): Draft => ({
  code: someCode(Math.random),
  reference: `A-${1_000 + Math.floor(Math.random() * 9_000)}`,
  header: exampleOf(0),
  values: {},
})

function NoTemplate({ kind }: { kind: Kind }) {
  const text = useWords(phoneWords)
  const { workspaceId } = useWorkspace()
  return (
    <Text size="sm">
      {text.noTemplate[kind]}{' '}
      <Anchor
        size="sm"
        renderRoot={(props) => <Link {...props} to="/w/$workspaceId/templates" params={{ workspaceId }} />}
      >
        {text.toTemplates}
      </Anchor>
    </Text>
  )
}

/** Three calls as one. */
function useSending(workspaceId: string) {
  const onSuccess = (): void =>
    void queries.invalidateQueries({ predicate: ({ queryKey }) => isOfWorkspace(queryKey, workspaceId) })
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
