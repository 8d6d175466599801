import { Group, Input, NumberInput, Stack, Switch, Text } from '@mantine/core'
import { useTexts } from '../texts/use-texts.ts'
import { Section } from '../ui/facts.tsx'
import type { Check, CheckDraft, Draft, Duration } from './draft.ts'
import { useFault } from './form.ts'

/** When each question is sent again, and how long its answer is awaited. */
export function Reminders({ draft, onChange }: { draft: Draft; onChange: (draft: Draft) => void }) {
  return (
    <Stack gap="xl">
      {(['confirmation', 'refusal'] as const).map((check) => (
        <Timers
          key={check}
          check={check}
          value={draft[check]}
          onChange={(value) => onChange({ ...draft, [check]: value })}
        />
      ))}
    </Stack>
  )
}

type Timing = { check: Check; value: CheckDraft; onChange: (value: CheckDraft) => void }

function Timers({ check, value, onChange }: Timing) {
  const { t } = useTexts()
  return (
    <Section title={t(`page_cod_settings.${check}`)}>
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
            label={t('page_cod_settings.reminder_minutes')}
            value={value.reminder}
            onChange={(reminder) => onChange({ ...value, reminder })}
          />
        )}
        <DurationField
          pointer={`/${check}/noResponseMinutes`}
          label={t('page_cod_settings.no_response_minutes')}
          value={value.noResponse}
          onChange={(noResponse) => onChange({ ...value, noResponse })}
        />
      </Stack>
    </Section>
  )
}

type Lasting = { pointer: string; label: string; value: Duration; onChange: (value: Duration) => void }

/** In hours and minutes. */
function DurationField({ pointer, label, value, onChange }: Lasting) {
  const { t } = useTexts()
  const fault = useFault(pointer)
  return (
    <Input.Wrapper id={pointer} label={label} labelElement="div" error={fault} data-path={pointer}>
      <Group gap="xs" role="group" aria-label={label} {...(fault && { mb: 4 })}>
        {(['hours', 'minutes'] as const).map((unit) => (
          <NumberInput
            key={unit}
            aria-label={`${label}${t('page_shell.colon')}${t(`page_cod_settings.${unit}`)}`}
            aria-describedby={fault && `${pointer}-error`}
            w={120}
            value={value[unit]}
            min={0}
            max={99_999}
            allowDecimal={false}
            allowNegative={false}
            clampBehavior="none"
            hideControls
            error={fault !== undefined}
            rightSection={
              <Text span size="xs" c="dimmed">
                {t(`page_cod_settings.${unit}`)}
              </Text>
            }
            rightSectionWidth={68}
            onChange={(input) => onChange({ ...value, [unit]: typeof input === 'number' ? input : '' })}
          />
        ))}
      </Group>
    </Input.Wrapper>
  )
}
