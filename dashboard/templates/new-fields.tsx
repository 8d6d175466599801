import { NumberInput, Stack, Switch, Text } from '@mantine/core'
import { BUTTON_MEANINGS, draftLimits, lengthOf } from '../../src/accounts/templates/draft.ts'
import { sampleOf, tidy, variablesOf } from '../../src/providers/template-text.ts'
import { directionOfTexts, tagOf } from '../texts/language.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Section } from '../ui/facts.tsx'
import { CountedInput } from '../ui/form/fields.tsx'
import type { FormState } from './form-state.ts'

/** What a field needs from the form. */
export type FormPart = {
  /** Returns the sentence to show at the field, or undefined. */
  errorAt(at: string): string | undefined
}

type Code = FormState['otp']

type CodeFieldsProps = { value: Code; part: FormPart; onChange: (value: Code, at: string) => void }

export function CodeFields({ value, part, onChange }: CodeFieldsProps) {
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

type Question = FormState['confirmation']

type QuestionFieldsProps = {
  use: 'confirmation' | 'refusal'
  language: string
  value: Question
  part: FormPart
  onChange: (value: Question, at: string) => void
}

export function QuestionFields({ use, language, value, part, onChange }: QuestionFieldsProps) {
  const { t } = useTexts()
  const written = { dir: directionOfTexts(language), lang: tagOf(language) }
  const shown = (at: string, text: string) => ({
    value: text,
    used: lengthOf(tidy(text)),
    error: part.errorAt(at),
    'data-path': at,
    ...written,
  })
  const write = (at: 'header' | 'headerSample' | 'body' | 'footer') => ({
    ...shown(at, value[at]),
    onWrite: (words: string) => onChange({ ...value, [at]: words }, at),
  })
  const ofHeader = variablesOf(tidy(value.header)).names
  const ofBody = variablesOf(tidy(value.body)).names
  return (
    <Stack gap="lg">
      <CountedInput
        label={t('page_templates.header')}
        description={t('page_templates.header_hint')}
        max={draftLimits.header}
        {...write('header')}
      />
      <CountedInput
        label={t('page_templates.body')}
        description={t('page_templates.body_hint', { named: '{{customer}}', numbered: '{{1}}' })}
        max={draftLimits.body}
        rows={4}
        {...write('body')}
      />
      {ofHeader.length + ofBody.length > 0 && (
        <Section title={t('page_templates.samples')}>
          <Stack gap="sm">
            <Text size="sm" c="dimmed">
              {t('page_templates.samples_about')}
            </Text>
            {ofHeader.length > 0 && (
              <CountedInput
                label={t('page_templates.header_sample')}
                max={draftLimits.sample}
                {...write('headerSample')}
              />
            )}
            {ofBody.map((name) => (
              <CountedInput
                key={name}
                label={<code>{`{{${name}}}`}</code>}
                max={draftLimits.sample}
                {...shown(`samples.${name}`, sampleOf(value.samples, name))}
                onWrite={(sample) =>
                  onChange({ ...value, samples: { ...value.samples, [name]: sample } }, `samples.${name}`)
                }
              />
            ))}
          </Stack>
        </Section>
      )}
      <CountedInput
        label={t('page_templates.footer')}
        description={t('page_templates.footer_hint')}
        max={draftLimits.footer}
        {...write('footer')}
      />
      <Section title={t('page_templates.buttons')}>
        <Stack gap="sm">
          <Text size="sm" c="dimmed">
            {t('page_templates.buttons_about')}
          </Text>
          {BUTTON_MEANINGS[use].map((meaning, index) => (
            <CountedInput
              key={meaning}
              label={t(`page_templates.meanings_${meaning}`)}
              max={draftLimits.button}
              {...shown(`buttons.${index}`, value.buttons[index] ?? '')}
              onWrite={(label) => onChange({ ...value, buttons: value.buttons.with(index, label) }, `buttons.${index}`)}
            />
          ))}
        </Stack>
      </Section>
    </Stack>
  )
}
