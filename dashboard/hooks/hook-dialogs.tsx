import { Button, Checkbox, NativeSelect, Stack, Text, TextInput, Title } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { type RouterOutputs, api, queryClient } from '../api.ts'
import { pageQueries } from '../queries.ts'
import { useTexts } from '../texts/use-texts.ts'
import { CodeBlock } from '../ui/code-block.tsx'
import { Confirmation } from '../ui/dialog/confirm-dialog.tsx'
import { CopiedButton, Secret } from '../ui/dialog/secret-dialog.tsx'
import { ServerForm, useServerForm } from '../ui/form/server-form.tsx'
import { isolatedPhoneText } from '@doorcode/whatsapp-emulator/wire/phone-groups.ts'
import { Time } from '../ui/time.tsx'
import { useWorkspace } from '../ui/workspace.ts'

type HookList = RouterOutputs['hooks']['list']
export type Hook = HookList['hooks'][number]
type Kind = Hook['kind']
type Template = HookList['templates'][number]

const KINDS: readonly Kind[] = ['supabase', 'zitadel', 'logto', 'generic']
const POINTERS = ['phone', 'code', 'language'] as const

type Values = {
  name: string
  kind: Kind
  senderId: string
  /** `name:language`, in the order in which the person chose them. */
  templates: string[]
  pointers: { phone: string; code: string; language: string }
}

const textOf = ({ name, language }: { name: string; language: string }): string => `${name}:${language}`

/** A template's name has no colon. */
const templateOf = (text: string) => {
  const at = text.indexOf(':')
  return { name: text.slice(0, at), language: text.slice(at + 1) }
}

const inputOf = ({ name, kind, senderId, templates, pointers }: Values, foreign: ReadonlySet<string>) => ({
  name,
  senderId,
  templates: templates.filter((text) => !foreign.has(text)).map(templateOf),
  ...(kind === 'generic' && { pointers }),
})

const refresh = (workspaceId: string): Promise<void> =>
  queryClient.invalidateQueries({ queryKey: api.hooks.list.queryKey({ workspaceId }) })

function useLabels() {
  const { t } = useTexts()
  return {
    name: t('page_hooks.name'),
    kind: t('page_hooks.kind'),
    senderId: t('page_hooks.sender'),
    templates: t('page_hooks.templates'),
    'pointers.phone': t('page_hooks.pointers_phone'),
    'pointers.code': t('page_hooks.pointers_code'),
    'pointers.language': t('page_hooks.pointers_language'),
  }
}

/**
 * `usable`: those of the sender's account, which the form shows. `foreign`: those that only other accounts have, such as that of a sender chosen
 * before. One that WhatsApp has paused is neither: it stays chosen, and the server says what is wrong with it.
 */
function useTemplates(senderId: string): { usable: readonly Template[]; foreign: ReadonlySet<string> } {
  const { workspaceId } = useWorkspace()
  const { senders, templates } = useSuspenseQuery(pageQueries.hooks({ workspaceId })).data
  const accountId = senders.find((sender) => sender.senderId === senderId)?.accountId
  const usable = templates.filter((template) => template.accountId === accountId)
  const own = new Set(usable.map(textOf))
  return { usable, foreign: new Set(templates.map(textOf).filter((text) => !own.has(text))) }
}

/** The fields of a hook; the kind only of a new one. */
function Fields({ form, isNew }: { form: ReturnType<typeof useServerForm<Values>>; isNew: boolean }) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const labels = useLabels()
  const { senders } = useSuspenseQuery(pageQueries.hooks({ workspaceId })).data
  const { kind, senderId } = form.values
  const { usable } = useTemplates(senderId)
  return (
    <>
      <TextInput description={t('page_hooks.name_hint')} data-autofocus {...form.field('name')} />
      {isNew && (
        <NativeSelect
          data={KINDS.map((value) => ({ value, label: t(`page_hooks.kinds_${value}`) }))}
          {...form.field('kind')}
        />
      )}
      <NativeSelect
        data={senders.map((sender) => ({
          value: sender.senderId,
          label: isolatedPhoneText(sender.phoneNumber),
        }))}
        {...form.field('senderId')}
      />
      <Checkbox.Group
        description={usable.length > 0 ? t('page_hooks.templates_hint') : t('page_hooks.no_templates')}
        {...form.field('templates')}
      >
        <Stack gap="xs" mt="xs">
          {usable.map((template) => (
            <Checkbox
              key={textOf(template)}
              value={textOf(template)}
              label={`${template.name} (${template.language})`}
            />
          ))}
        </Stack>
      </Checkbox.Group>
      {kind === 'generic' &&
        POINTERS.map((part) => (
          <TextInput
            key={part}
            dir="ltr"
            label={labels[`pointers.${part}`]}
            description={t('page_hooks.pointers_hint')}
            {...form.getInputProps(`pointers.${part}`)}
          />
        ))}
    </>
  )
}

export function NewHook({ onDone }: { onDone: () => void }) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const { senders } = useSuspenseQuery(pageQueries.hooks({ workspaceId })).data
  const form = useServerForm<Values>(useLabels(), {
    name: '',
    kind: 'supabase',
    senderId: senders[0]?.senderId ?? '',
    templates: [],
    pointers: { phone: '/to', code: '/code', language: '/language' },
  })
  const { foreign } = useTemplates(form.values.senderId)
  const create = useMutation(
    api.hooks.create.mutationOptions({ onSuccess: () => refresh(workspaceId), onError: form.showFaults }),
  )
  if (create.data) {
    const { url, secret } = create.data
    return (
      <Stack>
        <Title order={3} size="h5">
          {t('page_hooks.url')}
        </Title>
        <CodeBlock text={url} />
        {secret === null ? <Text size="sm">{t('page_hooks.own_secret')}</Text> : <ShownOnce secret={secret} />}
        <CopiedButton onClick={onDone}>{t('page_hooks.done')}</CopiedButton>
      </Stack>
    )
  }
  return (
    <ServerForm
      form={form}
      call={create}
      onSubmit={(values) => create.mutate({ workspaceId, kind: values.kind, ...inputOf(values, foreign) })}
    >
      <Fields form={form} isNew />
      <Button type="submit" loading={create.isPending}>
        {t('page_hooks.create')}
      </Button>
    </ServerForm>
  )
}

function ShownOnce({ secret }: { secret: string }) {
  const { t } = useTexts()
  return (
    <>
      <Title order={3} size="h5">
        {t('page_hooks.secret')}
      </Title>
      <Secret text={secret} />
      <Text size="sm">{t('page_hooks.once')}</Text>
    </>
  )
}

export function ChangeHook({ of: hook, onDone }: { of: Hook; onDone: () => void }) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const { hookId, name, kind, senderId, templates, pointers } = hook
  const form = useServerForm<Values>(useLabels(), {
    name,
    kind,
    senderId,
    templates: templates.map(textOf),
    pointers: pointers ?? { phone: '', code: '', language: '' },
  })
  const { foreign } = useTemplates(form.values.senderId)
  const update = useMutation(
    api.hooks.update.mutationOptions({
      async onSuccess() {
        await refresh(workspaceId)
        onDone()
      },
      onError: form.showFaults,
    }),
  )
  return (
    <ServerForm
      form={form}
      call={update}
      onSubmit={(values) => update.mutate({ workspaceId, hookId, ...inputOf(values, foreign) })}
    >
      <Fields form={form} isNew={false} />
      <Button type="submit" loading={update.isPending}>
        {t('page_hooks.save')}
      </Button>
    </ServerForm>
  )
}

export function RotateSecret({ of: { hookId }, onDone }: { of: Hook; onDone: () => void }) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const form = useServerForm({ secret: t('page_hooks.given_secret') }, { secret: '' })
  const rotate = useMutation(
    api.hooks.rotate.mutationOptions({ onSuccess: () => refresh(workspaceId), onError: form.showFaults }),
  )
  if (rotate.data) {
    const { secret, previousSecretUntil } = rotate.data
    return (
      <Stack>
        {secret !== null && <ShownOnce secret={secret} />}
        <Text size="sm">
          {t('page_hooks.previous_until')} <Time at={previousSecretUntil} kind="due" />
        </Text>
        <CopiedButton onClick={onDone}>{t('page_hooks.done')}</CopiedButton>
      </Stack>
    )
  }
  return (
    <ServerForm
      form={form}
      call={rotate}
      onSubmit={({ secret }) => rotate.mutate({ workspaceId, hookId, ...(secret !== '' && { secret }) })}
    >
      <Text size="sm">{t('page_hooks.rotate_about')}</Text>
      <TextInput
        dir="ltr"
        autoComplete="off"
        description={t('page_hooks.given_secret_hint')}
        {...form.field('secret')}
      />
      <Button type="submit" loading={rotate.isPending}>
        {t('page_hooks.rotate')}
      </Button>
    </ServerForm>
  )
}

export function RemoveHook({ of: { hookId }, onDone }: { of: Hook; onDone: () => void }) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const remove = useMutation(
    api.hooks.remove.mutationOptions({
      async onSuccess() {
        await refresh(workspaceId)
        notifications.show({ message: t('page_hooks.removed') })
        onDone()
      },
    }),
  )
  return (
    <Confirmation
      doing={remove}
      yes={t('page_hooks.remove_it')}
      no={t('page_hooks.keep')}
      colour="red"
      onYes={() => remove.mutate({ workspaceId, hookId })}
      onNo={onDone}
    >
      <Text size="sm">{t('page_hooks.remove_about')}</Text>
    </Confirmation>
  )
}
