import { NumberInput, Stack, Switch } from '@mantine/core'
import { draftLimits, lengthOf } from '../../../src/accounts/templates/draft.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { tidy } from '../../../src/providers/template-text.ts'
import { CountedInput } from '../../ui/form/counted-input.tsx'
import type { FormState } from './form-state.ts'
import type { FormPart } from './form-part.ts'

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
  const { t } = useTexts()
  return (
    <Stack>
      <Switch
        label={t('page_templates.advice')}
        description={t('page_templates.advice_hint')}
        checked={value.securityAdvice}
        onChange={({ currentTarget }) =>
          onChange({ ...value, securityAdvice: currentTarget.checked }, 'securityAdvice')
        }
      />
      <NumberInput
        label={t('page_templates.expiry')}
        description={t('page_templates.expiry_hint', {
          min: draftLimits.minExpiryMinutes,
          max: draftLimits.maxExpiryMinutes,
        })}
        value={value.expiryMinutes ?? ''}
        error={part.errorAt('expiryMinutes')}
        data-path="expiryMinutes"
        maw={320}
        min={draftLimits.minExpiryMinutes}
        max={draftLimits.maxExpiryMinutes}
        clampBehavior="none"
        allowDecimal={false}
        onChange={(minutes) =>
          onChange({ ...value, expiryMinutes: minutes === '' ? null : Number(minutes) }, 'expiryMinutes')
        }
      />
      <CountedInput
        label={t('page_templates.copy_label')}
        description={t('page_templates.copy_label_hint')}
        max={draftLimits.button}
        used={lengthOf(tidy(value.copyLabel))}
        data-path="copyLabel"
        dir="auto"
        value={value.copyLabel}
        error={part.errorAt('copyLabel')}
        onWrite={(copyLabel) => onChange({ ...value, copyLabel }, 'copyLabel')}
      />
    </Stack>
  )
}
