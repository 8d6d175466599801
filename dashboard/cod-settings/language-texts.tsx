import { Fieldset, Stack, Switch } from '@mantine/core'
import { useWords } from '../words.ts'
import type { Check, LanguageDraft, Optional } from './draft.ts'
import { CountedText, LabelList } from './fields.tsx'
import { useForm } from './form.ts'
import { codWords } from './words.ts'

type Editing = { code: string; value: LanguageDraft; onChange: (value: LanguageDraft) => void }

/** Everything that is said in one language, in the order in which customers meet it. */
export function LanguageTexts({ code, value, onChange }: Editing) {
  const text = useWords(codWords)
  const { limits } = useForm()
  const at = `/languages/${code}`
  const { texts, closing } = value
  const spoken = (name: keyof LanguageDraft['texts'], most: number, lines = 1) => (
    <CountedText
      pointer={`${at}/texts/${name}`}
      label={text[name]}
      value={texts[name]}
      most={most}
      lines={lines}
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
    <Stack>
      <Fieldset legend={text.reschedule}>
        <Stack>
          {spoken('dayQuestion', limits.buttonQuestionLength, 2)}
          {spoken('timeQuestion', limits.buttonQuestionLength, 2)}
          <LabelList
            pointer={`${at}/timeRanges`}
            label={text.timeRanges}
            itemLabel={text.timeRange}
            add={text.addTimeRange}
            items={value.timeRanges}
            size={limits.timeRanges}
            most={limits.buttonTitleLength}
            code={code}
            onChange={(timeRanges) => onChange({ ...value, timeRanges })}
          />
        </Stack>
      </Fieldset>
      <Fieldset legend={text.refusing}>
        <Stack>
          {spoken('refusalReasonQuestion', limits.listQuestionLength, 2)}
          {spoken('reasonsListButton', limits.buttonTitleLength)}
          <LabelList
            pointer={`${at}/refusalReasons`}
            label={text.refusalReasons}
            itemLabel={text.refusalReason}
            add={text.addReason}
            items={value.refusalReasons}
            size={limits.refusalReasons}
            most={limits.rowTitleLength}
            code={code}
            onChange={(refusalReasons) => onChange({ ...value, refusalReasons })}
          />
          {spoken('otherLabel', limits.rowTitleLength)}
          {spoken('notePrompt', limits.messageLength, 2)}
        </Stack>
      </Fieldset>
      <Fieldset legend={text.closing}>
        <Stack>
          {closingOf('confirmation')}
          {closingOf('refusal')}
        </Stack>
      </Fieldset>
    </Stack>
  )
}

type Ending = { check: Check; at: string; code: string; value: Optional; onChange: (value: Optional) => void }

function Closing({ check, at, code, value, onChange }: Ending) {
  const text = useWords(codWords)
  const { limits } = useForm()
  const label = check === 'confirmation' ? text.closingConfirmation : text.closingRefusal
  return (
    <Stack gap="xs">
      <Switch
        label={`${label}: ${text.sendsClosing}`}
        checked={value.sent}
        onChange={(event) => onChange({ ...value, sent: event.currentTarget.checked })}
      />
      {value.sent && (
        <CountedText
          pointer={`${at}/closingMessages/${check}`}
          label={`${label}: ${text.closingText}`}
          value={value.text}
          most={limits.messageLength}
          lines={2}
          code={code}
          onChange={(changed) => onChange({ ...value, text: changed })}
        />
      )}
    </Stack>
  )
}
