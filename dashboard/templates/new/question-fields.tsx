import { Fieldset, Stack, Text } from '@mantine/core'
import { BUTTON_MEANINGS, draftLimits } from '../../../src/accounts/templates/draft.ts'
import { sampleOf, tidy, variablesOf } from '../../../src/providers/whatsapp/template-text.ts'
import { directionOfTexts, tagOf } from '../../cod-settings/languages.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { CountedInput } from './counted-input.tsx'
import type { FormState } from './form-state.ts'
import type { FormPart } from './new-template.tsx'

type Question = FormState['confirmation']

export function QuestionFields({
  use,
  language,
  value,
  part,
  onChange,
}: {
  use: 'confirmation' | 'refusal'
  language: string
  value: Question
  part: FormPart
  onChange: (value: Question, at: string) => void
}) {
  const { t } = useTexts()
  const written = { dir: directionOfTexts(language), lang: tagOf(language) }
  const write = (at: 'header' | 'headerSample' | 'body' | 'footer') => ({
    value: value[at],
    error: part.errorAt(at),
    onWrite: (words: string) => onChange({ ...value, [at]: words }, at),
    ...written,
  })
  const ofHeader = variablesOf(tidy(value.header)).names
  const ofBody = variablesOf(tidy(value.body)).names
  return (
    <Stack>
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
        <Fieldset legend={t('page_templates.samples')}>
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
                value={sampleOf(value.samples, name)}
                error={part.errorAt(`samples.${name}`)}
                onWrite={(sample) =>
                  onChange({ ...value, samples: { ...value.samples, [name]: sample } }, `samples.${name}`)
                }
                {...written}
              />
            ))}
          </Stack>
        </Fieldset>
      )}
      <CountedInput
        label={t('page_templates.footer')}
        description={t('page_templates.footer_hint')}
        max={draftLimits.footer}
        {...write('footer')}
      />
      <Fieldset legend={t('page_templates.buttons')}>
        <Stack gap="sm">
          <Text size="sm" c="dimmed">
            {t('page_templates.buttons_about')}
          </Text>
          {BUTTON_MEANINGS[use].map((meaning, index) => (
            <CountedInput
              key={meaning}
              label={t(`page_templates.meanings_${meaning}`)}
              max={draftLimits.button}
              value={value.buttons[index] ?? ''}
              error={part.errorAt(`buttons.${index}`)}
              onWrite={(label) => onChange({ ...value, buttons: value.buttons.with(index, label) }, `buttons.${index}`)}
              {...written}
            />
          ))}
        </Stack>
      </Fieldset>
    </Stack>
  )
}
