import { Button, Group, Menu, ScrollArea, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { MagnifyingGlassIcon } from '@radix-ui/react-icons'
import { type ReactNode, useState } from 'react'
import { useTexts } from '../../texts/use-texts.ts'
import { Chip } from './chip.tsx'
import { RangeChip } from './range-chip.tsx'

/** A search runs when typing pauses. */
const SEARCH_PAUSE_MS = 300
const MAX_TEXT = 200

export type Choice = { value: string; label: string }

/** `value`: undefined or empty without the filter. */
export type Filter = { name: string; label: string; value: string | undefined; choices: readonly Choice[] }

type Props = {
  label: string
  search?: { label: string; value: string }
  filters: readonly Filter[]
  range?: { from: string | undefined; to: string | undefined }
  /** An empty value ends a filter. The search is `text`, the days of the range are `from` and `to`. */
  onChange: (change: Record<string, string>) => void
  /** Ends all filters; undefined while there is none. */
  onClear: (() => void) | undefined
  /** Other actions on the list, at the end of the row. */
  end?: ReactNode
}

/** All controls of a list in one row: the search, the filters, the days. */
export function FilterBar({ label, search, filters, range, onChange, onClear, end }: Props) {
  const { t } = useTexts()
  return (
    <Group role="search" aria-label={label} gap="xs">
      {search && <Search key={search.value} {...search} onChange={(text) => onChange({ text })} />}
      {filters.map((filter) => (
        <FilterChip key={filter.name} filter={filter} onChange={(value) => onChange({ [filter.name]: value })} />
      ))}
      {range && <RangeChip {...range} onChange={onChange} />}
      {onClear && (
        <Button variant="subtle" size="compact-sm" onClick={onClear}>
          {t('page_shell.clear_filters')}
        </Button>
      )}
      {end !== undefined && <Group ms="auto">{end}</Group>}
    </Group>
  )
}

function Search({ label, value, onChange }: { label: string; value: string; onChange: (text: string) => void }) {
  const [text, setText] = useState(value)
  const searchSoon = useDebouncedCallback((typed: string) => onChange(typed.trim()), SEARCH_PAUSE_MS)
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={label}
      leftSection={<MagnifyingGlassIcon aria-hidden="true" />}
      maxLength={MAX_TEXT}
      flex="1 1 16rem"
      maw={360}
      value={text}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value)
        searchSoon(currentTarget.value)
      }}
    />
  )
}

/** `+ Status`, or `Status: Failed` with a cross. */
function FilterChip({ filter, onChange }: { filter: Filter; onChange: (value: string) => void }) {
  const { t } = useTexts()
  const { label, value, choices } = filter
  const chosen = value ? (choices.find((each) => each.value === value)?.label ?? value) : undefined
  return (
    <Chip label={label} value={chosen} onRemove={() => onChange('')}>
      {(target) => (
        <Menu position="bottom-start">
          <Menu.Target>{target}</Menu.Target>
          <Menu.Dropdown>
            <ScrollArea.Autosize mah={320}>
              {choices.map((each) => (
                <Menu.Item key={each.value} onClick={() => onChange(each.value)} fw={each.value === value ? 600 : 400}>
                  {each.label}
                </Menu.Item>
              ))}
              {chosen !== undefined && <Menu.Item onClick={() => onChange('')}>{t('page_shell.all_values')}</Menu.Item>}
            </ScrollArea.Autosize>
          </Menu.Dropdown>
        </Menu>
      )}
    </Chip>
  )
}
