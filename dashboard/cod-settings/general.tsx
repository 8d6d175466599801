import { Chip, Fieldset, Group, Input, SegmentedControl, Stack, Switch, Text } from '@mantine/core'
import type { Weekday } from '../../src/cod/settings.ts'
import { useWords } from '../words.ts'
import type { Check, CheckDraft, Draft } from './draft.ts'
import { DurationField } from './fields.tsx'
import { useFault, useForm } from './form.ts'
import { TimeZoneField } from './time-zone-field.tsx'
import { codWords } from './words.ts'

type Changing = { draft: Draft; onChange: (draft: Draft) => void; weekdays: readonly Weekday[] }

/** What holds in every language. */
export function General({ draft, onChange, weekdays }: Changing) {
  const text = useWords(codWords)
  const change = (changed: Partial<Draft>): void => onChange({ ...draft, ...changed })
  const { deliveryDays } = draft
  return (
    <Stack>
      <Fieldset legend={text.deliveries}>
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
  const text = useWords(codWords)
  const { least, most } = useForm().limits.daysOffered
  const days = Array.from({ length: most - least + 1 }, (_, index) => String(least + index))
  return (
    <Input.Wrapper
      label={text.offered}
      labelElement="div"
      description={text.offeredHint}
      error={useFault('/deliveryDays/offered')}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
    >
      <div>
        <SegmentedControl
          id="/deliveryDays/offered"
          aria-label={text.offered}
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
  const text = useWords(codWords)
  const { most } = useForm().limits.weekdaysSkipped
  return (
    <Input.Wrapper
      label={text.skipWeekdays}
      labelElement="div"
      description={`${text.skipWeekdaysHint} · ${value.length} ${text.of} ${most} ${text.chosen}`}
      error={useFault('/deliveryDays/skipWeekdays')}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
    >
      <Chip.Group
        multiple
        value={[...value]}
        onChange={(chosen) => onChange(weekdays.filter((each) => chosen.includes(each)))}
      >
        <Group id="/deliveryDays/skipWeekdays" gap="xs" my={4} role="group" aria-label={text.skipWeekdays}>
          {weekdays.map((weekday) => (
            <Chip key={weekday} value={weekday} size="sm" disabled={value.length >= most && !value.includes(weekday)}>
              {text[weekday]}
            </Chip>
          ))}
        </Group>
      </Chip.Group>
    </Input.Wrapper>
  )
}

type Timing = { check: Check; value: CheckDraft; onChange: (value: CheckDraft) => void }

function Timers({ check, value, onChange }: Timing) {
  const text = useWords(codWords)
  const { limits } = useForm()
  return (
    <Fieldset legend={text[check]}>
      <Stack>
        <Text size="sm" c="dimmed">
          {text[`${check}Hint`]}
        </Text>
        <Switch
          label={text.reminds}
          checked={value.reminds}
          onChange={(event) => onChange({ ...value, reminds: event.currentTarget.checked })}
        />
        {value.reminds && (
          <DurationField
            pointer={`/${check}/reminderMinutes`}
            label={text.remindsAfter}
            range={limits.reminderMinutes}
            value={value.reminder}
            onChange={(reminder) => onChange({ ...value, reminder })}
          />
        )}
        <DurationField
          pointer={`/${check}/noResponseMinutes`}
          label={text.noResponse}
          range={limits.noResponseMinutes}
          {...(value.reminds && { more: text.laterThanReminder })}
          value={value.noResponse}
          onChange={(noResponse) => onChange({ ...value, noResponse })}
        />
      </Stack>
    </Fieldset>
  )
}
