import { Chip, Group, Input, SegmentedControl, Stack } from '@mantine/core'
import type { Weekday } from '../../src/cod/settings/settings.ts'
import { useTexts } from '../texts/use-texts.ts'
import type { Draft } from './draft/draft.ts'
import { useFault, useForm } from './draft/form.ts'
import { TimeZoneField } from './time-zone-field.tsx'

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
  const { t } = useTexts()
  const { limits, weekdays } = useForm()
  const isLeast = value.length <= weekdays.length - limits.weekdaysSkipped.max
  return (
    <Input.Wrapper
      label={t('page_cod_settings.delivery_days')}
      labelElement="div"
      description={isLeast ? t('page_cod_settings.one_day') : t('page_cod_settings.delivery_days_hint')}
      error={useFault('/deliveryDays/skipWeekdays')}
      data-path="/deliveryDays/skipWeekdays"
    >
      <Chip.Group multiple value={[...value]} onChange={onChange}>
        <Group gap="xs" mt={8} role="group" aria-label={t('page_cod_settings.delivery_days')}>
          {weekdays.map((weekday) => (
            <Chip key={weekday} value={weekday} size="sm" disabled={isLeast && value.includes(weekday)}>
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
