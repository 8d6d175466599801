import { NumberInput, Stack, Switch } from '@mantine/core'
import { draftLimits } from '../../src/templates/draft.ts'
import { useWords } from '../words.ts'
import { CountedInput } from './counted-input.tsx'
import type { FormState } from './form-state.ts'
import type { FormPart } from './new-template.tsx'
import { templateWords } from './words.ts'

type Code = FormState['otp']

export function CodeFields({
  value,
  part,
  onChange,
}: {
  value: Code
  part: FormPart
  onChange: (value: Code, at: string) => void
}) {
  const text = useWords(templateWords)
  return (
    <Stack>
      <Switch
        label={text.advice}
        description={text.adviceHint}
        checked={value.securityAdvice}
        onChange={({ currentTarget }) =>
          onChange({ ...value, securityAdvice: currentTarget.checked }, 'securityAdvice')
        }
      />
      <NumberInput
        label={text.expiry}
        description={text.expiryHint}
        value={value.expiryMinutes ?? ''}
        error={part.errorAt('expiryMinutes')}
        maw={320}
        min={draftLimits.expiryMinutesLeast}
        max={draftLimits.expiryMinutesMost}
        clampBehavior="none"
        allowDecimal={false}
        onChange={(minutes) =>
          onChange({ ...value, expiryMinutes: minutes === '' ? null : Number(minutes) }, 'expiryMinutes')
        }
      />
      <CountedInput
        label={text.copyLabel}
        description={text.copyLabelHint}
        most={draftLimits.button}
        dir="auto"
        value={value.copyLabel}
        error={part.errorAt('copyLabel')}
        onWrite={(copyLabel) => onChange({ ...value, copyLabel }, 'copyLabel')}
      />
    </Stack>
  )
}
