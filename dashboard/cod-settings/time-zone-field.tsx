import { Group, Select, Text } from '@mantine/core'
import { useInterval } from '@mantine/hooks'
import { useMemo, useState } from 'react'
import { CLOCK } from '../ui/time-parts.ts'
import { useWorkspace } from '../ui/workspace.ts'
import { useLanguage, useWords } from '../words.ts'
import { useFault } from './form.ts'
import { codWords } from './words.ts'

/** More than fit on a screen are found by typing. */
const SHOWN_MOST = 50
const LOOK_AT_THE_CLOCK_MS = 10_000

export function TimeZoneField({ value, onChange }: { value: string; onChange: (zone: string) => void }) {
  const text = useWords(codWords)
  const fault = useFault('/timeZone')
  const now = useWorkspaceNow()
  const { language } = useLanguage()
  const zones = useMemo(
    () => [...new Set([value, 'UTC', ...Intl.supportedValuesOf('timeZone')])].filter(Boolean),
    [value],
  )
  const there = timeIn(value, now, language)
  return (
    <Select
      id="/timeZone"
      label={text.timeZone}
      description={
        <>
          {text.timeZoneHint}
          {there !== undefined && (
            <Text span size="sm" display="block" c="var(--mantine-color-text)" data-testid="zone-now">
              {text.timeZoneNow} {there} {text.there}
            </Text>
          )}
        </>
      }
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      error={fault}
      dir="ltr"
      data={zones}
      value={value || null}
      onChange={(zone) => onChange(zone ?? '')}
      searchable
      allowDeselect={false}
      limit={SHOWN_MOST}
      nothingFoundMessage={text.noZone}
      filter={({ options, search, limit }) => {
        const wanted = plain(search)
        return options.filter((option) => 'label' in option && plain(option.label).includes(wanted)).slice(0, limit)
      }}
      renderOption={({ option }) => (
        <Group justify="space-between" w="100%" dir="ltr" wrap="nowrap">
          <span>{option.value}</span>
          <Text span size="xs" c="dimmed">
            {timeIn(option.value, now, language)}
          </Text>
        </Group>
      )}
    />
  )
}

/** "new york" finds America/New_York. */
const plain = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[_\s]+/g, ' ')
    .trim()

/** Undefined for what is no zone. */
function timeIn(timeZone: string, now: Date, language: string): string | undefined {
  try {
    return new Intl.DateTimeFormat(`${language}-u-nu-latn`, {
      timeZone,
      weekday: 'long',
      hour: '2-digit',
      minute: '2-digit',
      ...CLOCK,
    }).format(now)
  } catch {
    return undefined
  }
}

function useWorkspaceNow(): Date {
  const { clockOffsetMs } = useWorkspace()
  const [now, setNow] = useState(Date.now)
  useInterval(() => setNow(Date.now()), LOOK_AT_THE_CLOCK_MS, { autoInvoke: true })
  return new Date(now + clockOffsetMs)
}
