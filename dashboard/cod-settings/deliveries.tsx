import { Chip, Group, Input, SegmentedControl, Select, Stack, Text } from '@mantine/core'
import { useInterval } from '@mantine/hooks'
import { useMemo, useState } from 'react'
import type { Weekday } from '../../src/cod/settings/settings.ts'
import { CLOCK, dateFormat } from '../texts/formats.ts'
import { useTexts } from '../texts/use-texts.ts'
import { firstDayOfWeek } from '../texts/week.ts'
import { useWorkspace } from '../ui/workspace.ts'
import type { Draft } from './draft.ts'
import { useFault, useForm } from './form.ts'
import { zonesWith } from './zones.ts'

type Changing = { draft: Draft; onChange: (draft: Draft) => void }

/** When this workspace delivers. */
export function Deliveries({ draft, onChange }: Changing) {
  const { weekdays } = useForm()
  const { deliveryDays } = draft
  const change = (changed: Partial<Draft['deliveryDays']>): void =>
    onChange({ ...draft, deliveryDays: { ...deliveryDays, ...changed } })
  return (
    <Stack gap="lg">
      <TimeZoneField value={draft.timeZone} onChange={(timeZone) => onChange({ ...draft, timeZone })} />
      <DeliveryDays
        value={weekdays.filter((day) => !deliveryDays.skipWeekdays.includes(day))}
        onChange={(days) => change({ skipWeekdays: weekdays.filter((day) => !days.includes(day)) })}
      />
      <DaysOffered value={deliveryDays.offered} onChange={(offered) => change({ offered })} />
    </Stack>
  )
}

type Delivering = { value: readonly Weekday[]; onChange: (value: string[]) => void }

/** Ticked days are days with deliveries; the settings store the other days. */
function DeliveryDays({ value, onChange }: Delivering) {
  const { t, language } = useTexts()
  const { limits, weekdays } = useForm() // from Monday
  const first = (firstDayOfWeek(language) + 6) % 7
  const isMinimum = value.length <= weekdays.length - limits.weekdaysSkipped.max
  return (
    <Input.Wrapper
      label={t('page_cod_settings.skip_weekdays')}
      labelElement="div"
      description={isMinimum ? t('page_cod_settings.one_day') : t('page_cod_settings.skip_weekdays_hint')}
      error={useFault('/deliveryDays/skipWeekdays')}
      data-path="/deliveryDays/skipWeekdays"
    >
      <Chip.Group multiple value={[...value]} onChange={onChange}>
        <Group gap="xs" mt={8} role="group" aria-label={t('page_cod_settings.skip_weekdays')}>
          {[...weekdays.slice(first), ...weekdays.slice(0, first)].map((weekday) => (
            <Chip key={weekday} value={weekday} size="sm" disabled={isMinimum && value.includes(weekday)}>
              {t(`page_cod_settings.${weekday}`)}
            </Chip>
          ))}
        </Group>
      </Chip.Group>
    </Input.Wrapper>
  )
}

function DaysOffered({ value, onChange }: { value: number; onChange: (days: number) => void }) {
  const { t } = useTexts()
  const { min, max } = useForm().limits.daysOffered
  const days = Array.from({ length: max - min + 1 }, (_, index) => String(min + index))
  return (
    <Input.Wrapper
      label={t('page_cod_settings.offered')}
      labelElement="div"
      description={t('page_cod_settings.offered_hint')}
      error={useFault('/deliveryDays/offered')}
      data-path="/deliveryDays/offered"
    >
      <div>
        <SegmentedControl
          mt={8}
          aria-label={t('page_cod_settings.offered')}
          data={days}
          value={String(value)}
          onChange={(chosen) => onChange(Number(chosen))}
        />
      </div>
    </Input.Wrapper>
  )
}

/** The other zones are found by typing. */
const MAX_SHOWN = 50
const CLOCK_INTERVAL_MS = 10_000

function TimeZoneField({ value, onChange }: { value: string; onChange: (zone: string) => void }) {
  const { t, language } = useTexts()
  const fault = useFault('/timeZone')
  const now = useWorkspaceNow()
  const zones = useMemo(() => zonesWith(value), [value])
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

/** Returns undefined for an unknown zone. */
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
