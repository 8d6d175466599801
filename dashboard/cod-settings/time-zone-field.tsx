import { Group, Select, Text } from '@mantine/core'
import { useInterval } from '@mantine/hooks'
import { useMemo, useState } from 'react'
import { useTexts } from '../texts/use-texts.ts'
import { CLOCK } from '../ui/time/parts.ts'
import { useWorkspace } from '../ui/workspace.ts'
import { useFault } from './draft/form.ts'
import { dateFormat } from '../ui/formats.ts'

/** The other zones are found by typing. */
const MAX_SHOWN = 50
const CLOCK_INTERVAL_MS = 10_000

export function TimeZoneField({ value, onChange }: { value: string; onChange: (zone: string) => void }) {
  const { t, language } = useTexts()
  const fault = useFault('/timeZone')
  const now = useWorkspaceNow()
  const zones = useMemo(
    () => [...new Set([value, 'UTC', ...Intl.supportedValuesOf('timeZone')])].filter(Boolean),
    [value],
  )
  const there = timeIn(value, now, language)
  return (
    <div>
      <Select
        data-path="/timeZone"
        maw={360}
        label={t('page_cod_settings.time_zone')}
        description={t('page_cod_settings.time_zone_hint')}
        error={fault}
        dir="ltr"
        data={zones}
        value={value || null}
        onChange={(zone) => onChange(zone ?? '')}
        searchable
        allowDeselect={false}
        limit={MAX_SHOWN}
        nothingFoundMessage={t('page_cod_settings.no_zone')}
        filter={({ options, search, limit }) => {
          const term = plain(search)
          return options.filter((option) => 'label' in option && plain(option.label).includes(term)).slice(0, limit)
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
      {there !== undefined && (
        <Text size="sm" c="dimmed" mt={4} data-testid="zone-now">
          {t('page_cod_settings.time_zone_now', { time: there })}
        </Text>
      )}
    </div>
  )
}

/** "new york" finds America/New_York. */
const plain = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[_\s]+/g, ' ')
    .trim()

/** Undefined for an unknown zone. */
function timeIn(timeZone: string, now: Date, language: string): string | undefined {
  try {
    return dateFormat(language, {
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
  useInterval(() => setNow(Date.now()), CLOCK_INTERVAL_MS, { autoInvoke: true })
  return new Date(now + clockOffsetMs)
}
