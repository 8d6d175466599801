import { Stack, Text } from '@mantine/core'
import type { RouterOutputs } from '../api.ts'
import { type PageTexts, useTexts, translateWord } from '../texts/use-texts.ts'
import { KeptSince } from '../ui/list/kept-since.tsx'
import { List } from '../ui/list/list.tsx'
import { statusWord } from '../ui/state/status.ts'
import { Time } from '../ui/time.tsx'
import { Section } from '../ui/section.tsx'
import { qualityIn } from './status.tsx'

type Change = RouterOutputs['templates']['get']['changes'][number]

export function History({ changes }: { changes: readonly Change[] }) {
  const texts = useTexts()
  const { t } = texts
  return (
    <Section title={t('page_templates.history')}>
      {changes.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t('page_templates.no_history')}
        </Text>
      ) : (
        <List
          label={t('page_templates.history')}
          rows={changes.map((change, index) => ({ ...change, index }))}
          keyOf={({ index }) => String(index)}
          columns={[
            { title: t('page_templates.when'), cell: ({ at }) => <Time at={at} kind="past" /> },
            {
              title: t('page_templates.changed'),
              cell: ({ field }) => translateWord(texts, 'page_templates.fields', field),
            },
            { title: t('page_templates.from_to'), cell: (change) => <FromTo change={change} /> },
          ]}
        />
      )}
      <KeptSince of="records" />
    </Section>
  )
}

function FromTo({ change }: { change: Change }) {
  const texts = useTexts()
  const { t } = texts
  const { field, before, after } = change
  const valueText = (value: string | null): string =>
    value === null ? t('page_templates.nothing') : changedValue(texts, field, value)
  if (field === 'status' && before === null)
    return (
      <Text size="sm">
        {t('page_templates.appeared')}
        {t('page_shell.colon')}
        {valueText(after)}
      </Text>
    )
  if (field === 'status' && after === null) return <Text size="sm">{t('page_templates.vanished')}</Text>
  return (
    <Stack gap={2}>
      <Text size="sm" c="dimmed" dir={field === 'text' ? 'auto' : undefined} style={{ whiteSpace: 'pre-line' }}>
        <s>{valueText(before)}</s>
      </Text>
      <Text size="sm" dir={field === 'text' ? 'auto' : undefined} style={{ whiteSpace: 'pre-line' }}>
        {valueText(after)}
      </Text>
    </Stack>
  )
}

function changedValue(texts: PageTexts, field: string, value: string): string {
  if (field === 'status') return statusWord(texts, 'template', value)
  if (field === 'category') return translateWord(texts, 'page_templates.categories', value)
  return field === 'quality' ? qualityIn(texts, value) : value
}
