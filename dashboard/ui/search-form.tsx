import { Button, Group, NativeSelect, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { ReactNode } from 'react'
import { type ListSearch, isFiltered } from './list-search.ts'

type Choice = { value: string; label: string }

/** What is to choose from in the workspace; while it is on its way, what is chosen already. */
export type Choices = { templates: string[]; senders: { senderId: string; phoneNumber: string }[] }

/** The labels, as the noun's page says them. */
export type SearchWords = Readonly<
  Record<'filters' | 'searchFor' | 'searchHint' | 'find' | 'any' | 'template' | 'sender' | 'from' | 'until', string>
>

export type OwnFilter = { name: string; label: string; value: string | undefined; choices: readonly Choice[] }

type Props = {
  words: SearchWords
  search: ListSearch
  choices: Choices | undefined
  /** The noun's own filters, before those that all have. */
  own: readonly OwnFilter[]
  onNarrow: (change: Record<string, string>) => void
  /** A button that ends all filters. */
  clear: ReactNode
}

/** Finds rows of a long list: what is typed counts when it is sent, what is chosen at once. */
export function SearchForm({ words, search, choices = chosenAlready(search), own, onNarrow, clear }: Props) {
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
      data={[{ value: '', label: words.any }, ...data]}
      onChange={({ currentTarget }) => narrow({ [name]: currentTarget.value })}
    />
  )
  return (
    <form role="search" aria-label={words.filters} onSubmit={form.onSubmit((values) => onNarrow(values))}>
      <Stack gap="sm">
        <Group align="flex-end" gap="xs" wrap="nowrap">
          <TextInput
            type="search"
            label={words.searchFor}
            description={words.searchHint}
            maxLength={200}
            flex={1}
            {...form.getInputProps('text')}
          />
          <Button type="submit">{words.find}</Button>
        </Group>
        <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }} spacing="sm">
          {own.map(({ name, label, value, choices: data }) => one(name, label, { value, data }))}
          {one('template', words.template, {
            value: search.template,
            data: choices.templates.map((value) => ({ value, label: value })),
          })}
          {one('senderId', words.sender, {
            value: search.senderId,
            data: choices.senders.map(({ senderId, phoneNumber }) => ({
              value: senderId,
              label: `\u2066${phoneNumber}\u2069`,
            })),
          })}
          <TextInput
            type="date"
            label={words.from}
            value={search.from ?? ''}
            max={search.to}
            onChange={({ currentTarget }) => narrow({ from: currentTarget.value })}
          />
          <TextInput
            type="date"
            label={words.until}
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
