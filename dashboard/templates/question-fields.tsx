import { Fieldset, Stack, Text } from '@mantine/core'
import { BUTTON_MEANINGS, draftLimits, sampleOf, tidy, variablesOf } from '../../src/templates/draft.ts'
import { directionOfTexts, tagOf } from '../cod-settings/languages.ts'
import { useWords } from '../words.ts'
import { CountedInput } from './counted-input.tsx'
import type { FormState } from './form-state.ts'
import type { FormPart } from './new-template.tsx'
import { templateWords } from './words.ts'

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
  const text = useWords(templateWords)
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
      <CountedInput label={text.header} description={text.headerHint} most={draftLimits.header} {...write('header')} />
      <CountedInput label={text.body} description={text.bodyHint} most={draftLimits.body} rows={4} {...write('body')} />
      {ofHeader.length + ofBody.length > 0 && (
        <Fieldset legend={text.samples}>
          <Stack gap="sm">
            <Text size="sm" c="dimmed">
              {text.samplesAbout}
            </Text>
            {ofHeader.length > 0 && (
              <CountedInput label={text.headerSample} most={draftLimits.sample} {...write('headerSample')} />
            )}
            {ofBody.map((name) => (
              <CountedInput
                key={name}
                label={<code>{`{{${name}}}`}</code>}
                most={draftLimits.sample}
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
      <CountedInput label={text.footer} description={text.footerHint} most={draftLimits.footer} {...write('footer')} />
      <Fieldset legend={text.buttons}>
        <Stack gap="sm">
          <Text size="sm" c="dimmed">
            {text.buttonsAbout}
          </Text>
          {BUTTON_MEANINGS[use].map((meaning, place) => (
            <CountedInput
              key={meaning}
              label={text.meanings[meaning]}
              most={draftLimits.button}
              value={value.buttons[place] ?? ''}
              error={part.errorAt(`buttons.${place}`)}
              onWrite={(label) => onChange({ ...value, buttons: value.buttons.with(place, label) }, `buttons.${place}`)}
              {...written}
            />
          ))}
        </Stack>
      </Fieldset>
    </Stack>
  )
}
