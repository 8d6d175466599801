import { Alert, Button, Group, Stack, Switch, Tabs, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { RouterOutputs } from '../api.ts'
import { nameOfLanguage } from '../texts/language.ts'
import { useTexts } from '../texts/use-texts.ts'
import { ConfirmDialog } from '../ui/dialog/confirm-dialog.tsx'
import { Section } from '../ui/facts.tsx'
import {
  type Check,
  type Draft,
  type LanguageDraft,
  type Optional,
  startOf,
  withLanguage,
  withoutLanguage,
} from './draft.ts'
import { CustomerText, LabelList, ReadOnly, TabMark } from './fields.tsx'
import { labelKey, useForm } from './form.ts'
import { isWithin } from './search.ts'

type LanguageData = Pick<RouterOutputs['codSettings']['get'], 'starts' | 'templates'>

type Choosing = {
  draft: Draft
  onChange: (draft: Draft) => void
  code: string | undefined
  onChoose: (code: string) => void
  known: LanguageData
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
                <ConfirmDialog
                  label={t('page_cod_settings.remove_language')}
                  button={{ mt: 'md', color: 'red', variant: 'subtle', size: 'compact-sm' }}
                  title={`${t('page_cod_settings.remove_title')} ${nameOfLanguage(code, language)} (${code})?`}
                  yes={t('page_cod_settings.remove')}
                  colour="red"
                  onYes={() => remove(code)}
                >
                  <Text size="sm">{t('page_cod_settings.remove_text')}</Text>
                </ConfirmDialog>
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

type Adding = { present: readonly string[]; known: LanguageData; onAdd: (code: string) => void }

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

export const languagesOfTemplates = (templates: LanguageData['templates']): string[] => [
  ...new Set(templates.filter(({ status }) => status === 'APPROVED').map((each) => each.language)),
]

type Editing = { code: string; value: LanguageDraft; onChange: (value: LanguageDraft) => void }

/** All texts of one language, in the order in which customers see them. */
function LanguageTexts({ code, value, onChange }: Editing) {
  const { t } = useTexts()
  const { limits } = useForm()
  const at = `/languages/${code}`
  const { texts, closing } = value
  const spoken = (name: keyof LanguageDraft['texts'], max: number, rows?: number) => (
    <CustomerText
      pointer={`${at}/texts/${name}`}
      label={t(`page_cod_settings.${labelKey(name)}`)}
      value={texts[name]}
      max={max}
      {...(rows !== undefined && { rows })}
      code={code}
      onChange={(changed) => onChange({ ...value, texts: { ...texts, [name]: changed } })}
    />
  )
  const closingOf = (check: Check) => (
    <Closing
      check={check}
      at={at}
      code={code}
      value={closing[check]}
      onChange={(changed) => onChange({ ...value, closing: { ...closing, [check]: changed } })}
    />
  )
  return (
    <Stack gap="xl">
      <Section title={t('page_cod_settings.reschedule')}>
        <Stack>
          {spoken('dayQuestion', limits.buttonQuestionLength, 2)}
          {spoken('timeQuestion', limits.buttonQuestionLength, 2)}
          <LabelList
            pointer={`${at}/timeRanges`}
            label={t('page_cod_settings.time_ranges')}
            itemLabel={t('page_cod_settings.time_range')}
            add={t('page_cod_settings.add_time_range')}
            items={value.timeRanges}
            size={limits.timeRanges}
            max={limits.buttonTitleLength}
            code={code}
            onChange={(timeRanges) => onChange({ ...value, timeRanges })}
          />
        </Stack>
      </Section>
      <Section title={t('page_cod_settings.refusing')}>
        <Stack>
          {spoken('refusalReasonQuestion', limits.listQuestionLength, 2)}
          {spoken('reasonsListButton', limits.buttonTitleLength)}
          <LabelList
            pointer={`${at}/refusalReasons`}
            label={t('page_cod_settings.refusal_reasons')}
            itemLabel={t('page_cod_settings.refusal_reason')}
            add={t('page_cod_settings.add_reason')}
            items={value.refusalReasons}
            size={limits.refusalReasons}
            max={limits.rowTitleLength}
            code={code}
            onChange={(refusalReasons) => onChange({ ...value, refusalReasons })}
          />
          {spoken('otherLabel', limits.rowTitleLength)}
          {spoken('notePrompt', limits.messageLength, 2)}
        </Stack>
      </Section>
      <Section title={t('page_cod_settings.closing')}>
        <Stack>
          {closingOf('confirmation')}
          {closingOf('refusal')}
        </Stack>
      </Section>
    </Stack>
  )
}

type Ending = { check: Check; at: string; code: string; value: Optional; onChange: (value: Optional) => void }

function Closing({ check, at, code, value, onChange }: Ending) {
  const { t } = useTexts()
  const { limits } = useForm()
  return (
    <Stack gap="xs">
      <Switch
        label={t(`page_cod_settings.sends_closing_${check}`)}
        checked={value.sent}
        onChange={(event) => onChange({ ...value, sent: event.currentTarget.checked })}
      />
      {value.sent && (
        <CustomerText
          pointer={`${at}/closingMessages/${check}`}
          label={t(`page_cod_settings.closing_${check}`)}
          value={value.text}
          max={limits.messageLength}
          rows={2}
          code={code}
          onChange={(changed) => onChange({ ...value, text: changed })}
        />
      )}
    </Stack>
  )
}
