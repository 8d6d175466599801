import { Button, Checkbox, Radio, Stack, Text, TextInput, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { chosenEventTypes } from '../../src/events/event-types.ts'
import { type RouterOutputs, reasonOf } from '../api.ts'
import { useTexts } from '../texts/use-texts.ts'
import { CodeTabs } from '../ui/code-tabs.tsx'
import { CopiedButton, Secret } from '../ui/dialog/secret-dialog.tsx'
import { useFaults } from '../ui/form/faults.ts'
import { FormErrors } from '../ui/form/form-errors.tsx'
import { VERIFY } from './verify.ts'

type Settings = Pick<RouterOutputs['endpoints']['find'], 'url' | 'description' | 'eventTypes'>

type Props = {
  initial: Settings
  /** For development: also plain HTTP and private hosts. */
  allowsHttp: boolean
  yes: string
  /** Rejects with the server's error, which is shown at its field. */
  onSave: (settings: Settings) => Promise<unknown>
}

/** The URL, description and event types of a new or an existing endpoint. */
export function EndpointSettings({ initial, allowsHttp, yes, onSave }: Props) {
  const { t, textOf } = useTexts()
  const labels = {
    url: t('page_endpoints.url'),
    description: t('page_endpoints.description'),
    eventTypes: t('page_endpoints.events'),
  }
  const faultsIn = useFaults(labels)
  const [failed, setFailed] = useState<unknown>()
  const form = useForm({
    initialValues: {
      url: initial.url,
      description: initial.description,
      which: initial.eventTypes ? 'chosen' : 'all',
      eventTypes: initial.eventTypes?.map(String) ?? [],
    },
    validate: {
      eventTypes: (types, { which }) =>
        which === 'chosen' && types.length === 0 ? textOf({ code: 'webhooks.no_types' }) : null,
    },
  })
  const save = form.onSubmit(async ({ url, description, which, eventTypes }) => {
    setFailed(undefined)
    const types = chosenEventTypes.filter((type) => eventTypes.includes(type))
    try {
      await onSave({ url, description, eventTypes: which === 'all' ? null : types })
    } catch (error) {
      const faults = faultsIn(error)
      const reason = reasonOf(error)
      const field = reason?.code === 'webhooks.bad_description' ? 'description' : 'url'
      if (Object.keys(faults).length > 0) form.setErrors(faults)
      else if (reason) form.setErrors({ [field]: textOf(reason) })
      else setFailed(error)
    }
  })
  return (
    <form onSubmit={save} noValidate>
      <Stack>
        <FormErrors errors={form.errors} labels={labels} failed={failed} />
        <TextInput
          label={labels.url}
          description={t(allowsHttp ? 'page_endpoints.url_hint_http' : 'page_endpoints.url_hint')}
          placeholder="https://shop.example.com/hooks/doorcode"
          type="url"
          dir="ltr"
          autoComplete="off"
          data-autofocus
          {...form.getInputProps('url')}
        />
        <TextInput
          label={labels.description}
          description={t('page_endpoints.description_hint')}
          dir="auto"
          autoComplete="off"
          {...form.getInputProps('description')}
        />
        <Radio.Group label={labels.eventTypes} {...form.getInputProps('which')}>
          <Stack gap="xs" mt="xs">
            <Radio value="all" label={t('page_endpoints.events_all')} />
            <Radio value="chosen" label={t('page_endpoints.events_chosen')} />
          </Stack>
        </Radio.Group>
        {form.values.which === 'chosen' && (
          <Checkbox.Group aria-label={t('page_endpoints.events_chosen')} {...form.getInputProps('eventTypes')}>
            <Stack gap="xs">
              {chosenEventTypes.map((type) => (
                <Checkbox key={type} value={type} label={<code>{type}</code>} />
              ))}
            </Stack>
          </Checkbox.Group>
        )}
        <Button type="submit" loading={form.submitting}>
          {yes}
        </Button>
      </Stack>
    </form>
  )
}

/** A secret that is shown once, and how to use it. */
export function SecretOnce({ secret, onDone }: { secret: string; onDone: () => void }) {
  const { t } = useTexts()
  return (
    <Stack>
      <Secret text={secret} title={t('page_endpoints.secret_title')} />
      <Text size="sm">{t('page_endpoints.secret_once')}</Text>
      <Title order={3} size="h5">
        {t('page_endpoints.verify_title')}
      </Title>
      <Text size="sm">{t('page_endpoints.verify')}</Text>
      <CodeTabs label={t('page_endpoints.verify_title')} of={VERIFY} />
      <CopiedButton onClick={onDone}>{t('page_endpoints.copied')}</CopiedButton>
    </Stack>
  )
}
