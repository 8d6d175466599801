import { Chip, Fieldset, Group, Input, SegmentedControl, Stack, Switch, Text } from '@mantine/core'
import type { Weekday } from '../../src/cod/settings/settings.ts'
import { useTexts } from '../texts/use-texts.ts'
import type { Check, CheckDraft, Draft } from './draft/draft.ts'
import { DurationField } from './fields.tsx'
import { useFault, useForm } from './draft/form.ts'
import { TimeZoneField } from './time-zone-field.tsx'

type Changing = { draft: Draft; onChange: (draft: Draft) => void; weekdays: readonly Weekday[] }

/** Settings of all languages. */
export function General({ draft, onChange, weekdays }: Changing) {
  const { t } = useTexts()
  const change = (changed: Partial<Draft>): void => onChange({ ...draft, ...changed })
  const { deliveryDays } = draft
  return (
    <Stack>
      <Fieldset legend={t('page_cod_settings.deliveries')}>
        <Stack>
          <TimeZoneField value={draft.timeZone} onChange={(timeZone) => change({ timeZone })} />
          <DaysOffered
            value={deliveryDays.offered}
            onChange={(offered) => change({ deliveryDays: { ...deliveryDays, offered } })}
          />
          <SkippedWeekdays
            weekdays={weekdays}
            value={deliveryDays.skipWeekdays}
            onChange={(skipWeekdays) => change({ deliveryDays: { ...deliveryDays, skipWeekdays } })}
          />
        </Stack>
      </Fieldset>
      {(['confirmation', 'refusal'] as const).map((check) => (
        <Timers key={check} check={check} value={draft[check]} onChange={(timers) => change({ [check]: timers })} />
      ))}
    </Stack>
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
      inputWrapperOrder={['label', 'input', 'description', 'error']}
    >
      <div>
        <SegmentedControl
          id="/deliveryDays/offered"
          aria-label={t('page_cod_settings.offered')}
          data={days}
          value={String(value)}
          onChange={(chosen) => onChange(Number(chosen))}
        />
      </div>
    </Input.Wrapper>
  )
}

type Skipping = { weekdays: readonly Weekday[]; value: readonly Weekday[]; onChange: (value: Weekday[]) => void }

function SkippedWeekdays({ weekdays, value, onChange }: Skipping) {
  const { t } = useTexts()
  const { max } = useForm().limits.weekdaysSkipped
  return (
    <Input.Wrapper
      label={t('page_cod_settings.skip_weekdays')}
      labelElement="div"
      description={`${t('page_cod_settings.skip_weekdays_hint')} · ${value.length} ${t('page_cod_settings.of')} ${max} ${t('page_cod_settings.chosen')}`}
      error={useFault('/deliveryDays/skipWeekdays')}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
    >
      <Chip.Group
        multiple
        value={[...value]}
        onChange={(chosen) => onChange(weekdays.filter((each) => chosen.includes(each)))}
      >
        <Group
          id="/deliveryDays/skipWeekdays"
          gap="xs"
          my={4}
          role="group"
          aria-label={t('page_cod_settings.skip_weekdays')}
        >
          {weekdays.map((weekday) => (
            <Chip key={weekday} value={weekday} size="sm" disabled={value.length >= max && !value.includes(weekday)}>
              {t(`page_cod_settings.${weekday}`)}
            </Chip>
          ))}
        </Group>
      </Chip.Group>
    </Input.Wrapper>
  )
}

type Timing = { check: Check; value: CheckDraft; onChange: (value: CheckDraft) => void }

function Timers({ check, value, onChange }: Timing) {
  const { t } = useTexts()
  const { limits } = useForm()
  return (
    <Fieldset legend={t(`page_cod_settings.${check}`)}>
      <Stack>
        <Text size="sm" c="dimmed">
          {t(`page_cod_settings.${check}_hint`)}
        </Text>
        <Switch
          label={t('page_cod_settings.reminds')}
          checked={value.reminds}
          onChange={(event) => onChange({ ...value, reminds: event.currentTarget.checked })}
        />
        {value.reminds && (
          <DurationField
            pointer={`/${check}/reminderMinutes`}
            label={t('page_cod_settings.reminds_after')}
            range={limits.reminderMinutes}
            value={value.reminder}
            onChange={(reminder) => onChange({ ...value, reminder })}
          />
        )}
        <DurationField
          pointer={`/${check}/noResponseMinutes`}
          label={t('page_cod_settings.no_response')}
          range={limits.noResponseMinutes}
          {...(value.reminds && { more: t('page_cod_settings.later_than_reminder') })}
          value={value.noResponse}
          onChange={(noResponse) => onChange({ ...value, noResponse })}
        />
      </Stack>
    </Fieldset>
  )
}
