import { Alert, Button, Group, Stack, Tabs, Text, TextInput } from '@mantine/core'
import { modals } from '@mantine/modals'
import { useState } from 'react'
import type { RouterOutputs } from '../api.ts'
import { useTexts } from '../texts/use-texts.ts'
import { type Draft, startOf, withLanguage, withoutLanguage } from './draft/draft.ts'
import { useForm } from './draft/form.ts'
import { isWithin } from './draft/topics.ts'
import { LanguageTexts } from './language-texts.tsx'
import { nameOfLanguage } from './languages.ts'
import { ReadOnly } from './read-only.tsx'
import { TabMark } from './tab-mark.tsx'

type Known = Pick<RouterOutputs['codSettings']['get'], 'starts' | 'templates'>

type Choosing = {
  draft: Draft
  onChange: (draft: Draft) => void
  code: string | undefined
  onChoose: (code: string) => void
  known: Known
  mayChange: boolean
}

/** One tab for each language, with buttons that add and remove languages. */
export function Languages({ draft, onChange, code, onChoose, known, mayChange }: Choosing) {
  const { t, language } = useTexts()
  const codes = Object.keys(draft.languages)
  const chosen = code === undefined ? undefined : draft.languages[code]
  const remove = (removed: string): void => {
    onChange(withoutLanguage(draft, removed))
    const next = codes.find((each) => each !== removed)
    if (next !== undefined) onChoose(next)
  }
  return (
    <Stack>
      {codes.length === 0 && <Alert color="warning">{t('page_cod_settings.no_languages')}</Alert>}
      {codes.length > 0 && code !== undefined && (
        <Tabs variant="outline" value={code} onChange={(next) => next !== null && onChoose(next)}>
          <Tabs.List>
            {codes.map((each) => (
              <LanguageTab key={each} code={each} />
            ))}
          </Tabs.List>
          {chosen && (
            <Tabs.Panel value={code} pt="md">
              <ReadOnly when={!mayChange}>
                <LanguageTexts
                  code={code}
                  value={chosen}
                  onChange={(changed) => onChange(withLanguage(draft, code, changed))}
                />
              </ReadOnly>
              {mayChange && (
                <Button
                  mt="md"
                  color="red"
                  variant="subtle"
                  size="compact-sm"
                  onClick={() =>
                    modals.openConfirmModal({
                      title: `${t('page_cod_settings.remove_title')} ${nameOfLanguage(code, language)} (${code})?`,
                      children: <Text size="sm">{t('page_cod_settings.remove_text')}</Text>,
                      labels: { confirm: t('page_cod_settings.remove'), cancel: t('page_cod_settings.cancel') },
                      confirmProps: { color: 'red' },
                      onConfirm: () => remove(code),
                    })
                  }
                >
                  {t('page_cod_settings.remove_language')}
                </Button>
              )}
            </Tabs.Panel>
          )}
        </Tabs>
      )}
      {mayChange && (
        <AddLanguage
          present={codes}
          known={known}
          onAdd={(added) => {
            onChange(withLanguage(draft, added, startOf(added, known.starts)))
            onChoose(added)
          }}
        />
      )}
    </Stack>
  )
}

function LanguageTab({ code }: { code: string }) {
  const { language } = useTexts()
  return (
    <Tabs.Tab value={code} rightSection={<TabMark has={(pointer) => isWithin(pointer, `/languages/${code}`)} />}>
      {nameOfLanguage(code, language)}{' '}
      <Text span size="xs" c="dimmed" className="as-typed">
        {code}
      </Text>
    </Tabs.Tab>
  )
}

type Adding = { present: readonly string[]; known: Known; onAdd: (code: string) => void }

function AddLanguage({ present, known, onAdd }: Adding) {
  const { t, language } = useTexts()
  const { limits } = useForm()
  const [typed, setTyped] = useState('')
  const ofTemplates = languagesOfTemplates(known.templates)
  const ready = [...new Set([...ofTemplates, ...Object.keys(known.starts)])].filter((each) => !present.includes(each))
  const isThere = present.includes(typed.trim())
  const isFull = present.length >= limits.languages.max
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (typed.trim() === '' || isThere || isFull) return
        onAdd(typed.trim())
        setTyped('')
      }}
    >
      <Stack gap="xs">
        <Group align="flex-start" gap="xs">
          <TextInput
            label={t('page_cod_settings.add_language')}
            description={t('page_cod_settings.add_language_hint')}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            value={typed}
            dir="ltr"
            autoCapitalize="off"
            autoComplete="off"
            spellCheck={false}
            error={isThere && t('page_cod_settings.already_there', { name: typed.trim() })}
            onChange={(event) => setTyped(event.currentTarget.value)}
            flex={1}
            maw={420}
          />
          <Button type="submit" variant="default" mt={25} disabled={isFull}>
            {t('page_cod_settings.add')}
          </Button>
        </Group>
        {ready.length > 0 && !isFull && (
          <Group gap="xs">
            <Text size="sm">{t('page_cod_settings.add_ready')}</Text>
            {ready.map((each) => (
              <Button key={each} size="compact-sm" variant="default" onClick={() => onAdd(each)}>
                + {nameOfLanguage(each, language)}
                {ofTemplates.includes(each) && (
                  <Text span size="xs" c="dimmed" ms={6}>
                    {t('page_cod_settings.used_by')}
                  </Text>
                )}
              </Button>
            ))}
          </Group>
        )}
      </Stack>
    </form>
  )
}

export const languagesOfTemplates = (templates: Known['templates']): string[] => [
  ...new Set(templates.filter(({ status }) => status === 'APPROVED').map((each) => each.language)),
]
