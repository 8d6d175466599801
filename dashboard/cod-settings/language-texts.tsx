import { Stack, Switch } from '@mantine/core'
import { useTexts } from '../texts/use-texts.ts'
import { Section } from '../ui/section.tsx'
import type { Check, LanguageDraft, Optional } from './draft/draft.ts'
import { CustomerText, LabelList } from './fields.tsx'
import { useForm } from './draft/form.ts'
import { TEXT_LABELS } from './draft/labels.ts'

type Editing = { code: string; value: LanguageDraft; onChange: (value: LanguageDraft) => void }

/** All texts of one language, in the order in which customers see them. */
export function LanguageTexts({ code, value, onChange }: Editing) {
  const { t } = useTexts()
  const { limits } = useForm()
  const at = `/languages/${code}`
  const { texts, closing } = value
  const spoken = (name: keyof LanguageDraft['texts'], max: number, rows?: number) => (
    <CustomerText
      pointer={`${at}/texts/${name}`}
      label={t(`page_cod_settings.${TEXT_LABELS[name]}`)}
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
