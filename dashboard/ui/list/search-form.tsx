import { Button, Group, NativeSelect, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { ReactNode } from 'react'
import { useTexts } from '../../texts/use-texts.ts'
import { type ListSearch, isFiltered } from './list-search.ts'

type Choice = { value: string; label: string }

/** The options of the workspace; until they are loaded, those already chosen. */
export type Choices = { templates: string[]; senders: { senderId: string; phoneNumber: string }[] }

/** Whose texts label the fields. */
export type SearchedPage = 'page_messages' | 'page_confirmations'

export type OwnFilter = { name: string; label: string; value: string | undefined; choices: readonly Choice[] }

type Props = {
  page: SearchedPage
  search: ListSearch
  choices: Choices | undefined
  /** The page's own filters, before the common ones. */
  own: readonly OwnFilter[]
  onNarrow: (change: Record<string, string>) => void
  /** A button that ends all filters. */
  clear: ReactNode
}

/** Searches a long list: typed text applies on submit, a chosen filter at once. */
export function SearchForm({ page, search, choices = chosenAlready(search), own, onNarrow, clear }: Props) {
  const { t } = useTexts()
  const form = useForm({ initialValues: { text: search.text ?? '' } })
  const narrow = (change: Record<string, string>): void => onNarrow({ ...form.values, ...change })
  const one = (
    name: string,
    label: string,
    { value = '', data }: { value?: string | undefined; data: readonly Choice[] },
  ) => (
    <NativeSelect
      key={name}
      label={label}
      value={value}
      data={[{ value: '', label: t(`${page}.any`) }, ...data]}
      onChange={({ currentTarget }) => narrow({ [name]: currentTarget.value })}
    />
  )
  return (
    <form role="search" aria-label={t(`${page}.filters`)} onSubmit={form.onSubmit((values) => onNarrow(values))}>
      <Stack gap="sm">
        <Group align="flex-end" gap="xs" wrap="nowrap">
          <TextInput
            type="search"
            label={t(`${page}.search_for`)}
            description={t(`${page}.search_hint`)}
            maxLength={200}
            flex={1}
            {...form.getInputProps('text')}
          />
          <Button type="submit">{t(`${page}.find`)}</Button>
        </Group>
        <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }} spacing="sm">
          {own.map(({ name, label, value, choices: data }) => one(name, label, { value, data }))}
          {one('template', t(`${page}.template`), {
            value: search.template,
            data: choices.templates.map((value) => ({ value, label: value })),
          })}
          {one('senderId', t(`${page}.sender`), {
            value: search.senderId,
            data: choices.senders.map(({ senderId, phoneNumber }) => ({
              value: senderId,
              label: `\u2066${phoneNumber}\u2069`,
            })),
          })}
          <TextInput
            type="date"
            label={t(`${page}.from`)}
            value={search.from ?? ''}
            max={search.to}
            onChange={({ currentTarget }) => narrow({ from: currentTarget.value })}
          />
          <TextInput
            type="date"
            label={t(`${page}.until`)}
            value={search.to ?? ''}
            min={search.from}
            onChange={({ currentTarget }) => narrow({ to: currentTarget.value })}
          />
        </SimpleGrid>
        {isFiltered(search) && clear}
      </Stack>
    </form>
  )
}

const chosenAlready = ({ template, senderId }: ListSearch): Choices => ({
  templates: template === undefined ? [] : [template],
  senders: senderId === undefined ? [] : [{ senderId, phoneNumber: '…' }],
})
