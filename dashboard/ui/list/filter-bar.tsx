import {
  Button,
  CloseButton,
  Drawer,
  Group,
  Input,
  Menu,
  NativeSelect,
  Popover,
  ScrollArea,
  Stack,
  TextInput,
} from '@mantine/core'
import { DatePicker } from '@mantine/dates'
import { useDebouncedCallback, useDisclosure } from '@mantine/hooks'
import { MagnifyingGlassIcon, MixerHorizontalIcon, PlusIcon } from '@radix-ui/react-icons'
import { type ReactNode, cloneElement, isValidElement, useEffect, useRef, useState } from 'react'
import { DAY, dateFormat } from '../../texts/formats.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Calendar } from '../calendar.tsx'
import { useWorkspace } from '../workspace.ts'
import { DialogFoot } from '../dialog/secret-dialog.tsx'
import { useScreen } from '../screen.ts'

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
  /** The empty list below has the button that ends all filters: the row needs none. */
  clearsBelow?: boolean
  /** Another action on the list, at the end of the row. */
  end?: ReactNode
}

/**
 * All controls of a list in one row: the search, the filters, the days. On a phone, all but the search are behind one
 * button. On a tablet too, if there is a search, which leaves the filters too little room.
 */
export function FilterBar(props: Props) {
  const { t } = useTexts()
  const { label, search, filters, range, onChange, onClear, clearsBelow = false, end } = props
  const screen = useScreen()
  if (screen === 'phone' || (screen === 'tablet' && search && filters.length > 0))
    return <FoldedFilters {...props} isPhone={screen === 'phone'} />
  return (
    <Group role="search" aria-label={label} gap="xs">
      {search && <Search {...search} onChange={(text) => onChange({ text })} />}
      {filters.map((filter) => (
        <FilterChip key={filter.name} filter={filter} onChange={(value) => onChange({ [filter.name]: value })} />
      ))}
      {range && <RangeChip {...range} onChange={onChange} />}
      {onClear && !clearsBelow && (
        <Button variant="subtle" size="compact-sm" onClick={onClear}>
          {t('page_shell.clear_filters')}
        </Button>
      )}
      {end !== undefined && <Group ms="auto">{end}</Group>}
    </Group>
  )
}

/** The search and one button, which opens the filters from below. */
function FoldedFilters({
  isPhone,
  label,
  search,
  filters,
  range,
  onChange,
  onClear,
  end,
}: Props & { isPhone: boolean }) {
  const { t, n } = useTexts()
  const [opened, { open, close }] = useDisclosure()
  const { from, to } = range ?? {}
  const set = filters.filter(({ value }) => value).length + (from || to ? 1 : 0)
  return (
    <Group role="search" aria-label={label} gap="xs" wrap="nowrap">
      {search && <Search {...search} onChange={(text) => onChange({ text })} />}
      <Button
        variant={set > 0 ? 'light' : 'default'}
        leftSection={<MixerHorizontalIcon aria-hidden="true" />}
        style={{ flexShrink: 0 }}
        onClick={open}
      >
        {set > 0 ? t('page_list.filters_set', { number: n(set) }) : t('page_list.filters')}
      </Button>
      <Drawer opened={opened} onClose={close} position="bottom" size="auto" title={t('page_list.filters')}>
        <Stack>
          {filters.map(({ name, label: title, value, choices }) => (
            <NativeSelect
              key={name}
              label={title}
              value={value ?? ''}
              data={[{ value: '', label: t('page_shell.all_values') }, ...choices]}
              onChange={({ currentTarget }) => onChange({ [name]: currentTarget.value })}
            />
          ))}
          {range && (
            <Input.Wrapper label={t('page_shell.dates')}>
              <DayRange {...range} onChange={onChange} />
            </Input.Wrapper>
          )}
          {isPhone && end}
          <DialogFoot>
            <Group grow>
              {onClear && (
                <Button variant="default" onClick={onClear}>
                  {t('page_shell.clear_filters')}
                </Button>
              )}
              <Button onClick={close}>{t('page_list.show_results')}</Button>
            </Group>
          </DialogFoot>
        </Stack>
      </Drawer>
      {!isPhone && end !== undefined && <Group ms="auto">{end}</Group>}
    </Group>
  )
}

function Search({ label, value, onChange }: { label: string; value: string; onChange: (text: string) => void }) {
  const [text, setText] = useState(value)
  const sent = useRef(value)
  const searchSoon = useDebouncedCallback((typed: string) => {
    sent.current = typed.trim()
    onChange(sent.current)
  }, SEARCH_PAUSE_MS)
  useEffect(() => {
    if (value === sent.current) return // more may have been typed since
    sent.current = value
    searchSoon.cancel()
    setText(value)
  }, [value, searchSoon])
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

type Days = { from: string | undefined; to: string | undefined }

/** The chosen days as a filter. */
function RangeChip({ from, to, onChange }: Days & { onChange: (days: ChosenDays) => void }) {
  const { t } = useTexts()
  const [opened, { toggle, close }] = useDisclosure()
  const end = (): void => onChange({ from: '', to: '' })
  return (
    <Chip label={t('page_shell.dates')} value={useRangeText({ from, to })} onRemove={end}>
      {(target) => (
        <Popover opened={opened} onChange={(open) => !open && close()} position="bottom-start" trapFocus returnFocus>
          <Popover.Target>
            {isValidElement<{ onClick?: () => void }>(target) ? cloneElement(target, { onClick: toggle }) : target}
          </Popover.Target>
          <Popover.Dropdown>
            <DayRange
              from={from}
              to={to}
              onChange={(days) => {
                close()
                onChange(days)
              }}
            />
          </Popover.Dropdown>
        </Popover>
      )}
    </Chip>
  )
}

type ChosenDays = { from: string; to: string }

/** By the clock of the workspace, which may be ahead. */
function useToday(): string {
  const { timeZone, clockOffsetMs } = useWorkspace()
  const format = dateFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' })
  return format.format(Date.now() + clockOffsetMs)
}

const daysBefore = (day: string, days: number): string =>
  new Date(Date.parse(day) - days * 86_400_000).toISOString().slice(0, 10)

/** Days of the delivery zone, such as `2026-11-22`. Weeks start on the first day of the reader's week. */
function DayRange({ from, to, onChange }: Days & { onChange: (days: ChosenDays) => void }) {
  const { t } = useTexts()
  const today = useToday()
  const [half, setHalf] = useState<string | null>(null)
  const choose = ([first, last]: [string | null, string | null]): void => {
    setHalf(first)
    if (first === null || last === null) return
    setHalf(null)
    onChange({ from: first, to: last })
  }
  return (
    <Calendar>
      {(calendar) => (
        <DatePicker
          {...calendar}
          type="range"
          allowSingleDateInRange
          value={half === null ? [from ?? null, to ?? null] : [half, null]}
          presets={[
            { value: [today, today], label: t('page_list.today') },
            { value: [daysBefore(today, 6), today], label: t('page_list.last_7_days') },
          ]}
          getDayProps={(day) => (day === today ? { fw: 600, 'aria-current': 'date', td: 'underline' } : {})}
          onChange={choose}
        />
      )}
    </Calendar>
  )
}

function useRangeText({ from, to }: Days): string | undefined {
  const { t, language } = useTexts()
  const format = dateFormat(language, { timeZone: 'UTC', ...DAY })
  const dateOf = (day: string): Date => new Date(`${day}T00:00:00Z`)
  if (from && to) return format.formatRange(dateOf(from), dateOf(to))
  if (from) return t('page_shell.dates_from', { day: format.format(dateOf(from)) })
  if (to) return t('page_shell.dates_to', { day: format.format(dateOf(to)) })
  return undefined
}

type ChipProps = {
  label: string
  value: string | undefined
  onRemove: () => void
  children: (target: ReactNode) => ReactNode
}

/** A filter as a button; `children` gives the button what it opens. */
function Chip({ label, value, onRemove, children }: ChipProps) {
  const { t } = useTexts()
  const isSet = value !== undefined
  return (
    <Button.Group>
      {children(
        <Button
          size="compact-md"
          fw={500}
          variant={isSet ? 'light' : 'default'}
          leftSection={isSet ? undefined : <PlusIcon aria-hidden="true" />}
          style={isSet ? undefined : { borderStyle: 'dashed' }}
          aria-label={isSet ? undefined : t('page_shell.filter_add', { name: label })}
        >
          {isSet ? `${label}${t('page_shell.colon')}${value}` : label}
        </Button>,
      )}
      {isSet && (
        <CloseButton
          size="md"
          variant="subtle"
          aria-label={t('page_shell.filter_remove', { name: label })}
          onClick={onRemove}
        />
      )}
    </Button.Group>
  )
}
