import { Stack, Text } from '@mantine/core'
import type { Answers } from '../api.ts'
import { List } from '../ui/list.tsx'
import { Time } from '../ui/time.tsx'
import { useWords } from '../words.ts'
import { Section } from './section.tsx'
import { qualityIn, wordIn } from './status.tsx'
import { type TemplateText, templateWords } from './words.ts'

type Change = Answers['templates']['get']['changes'][number]

export function History({ changes }: { changes: readonly Change[] }) {
  const text = useWords(templateWords)
  return (
    <Section title={text.history}>
      {changes.length === 0 ? (
        <Text size="sm" c="dimmed">
          {text.noHistory}
        </Text>
      ) : (
        <List
          label={text.history}
          rows={changes.map((change, place) => ({ ...change, place }))}
          keyOf={({ place }) => String(place)}
          columns={[
            { title: text.when, times: true, cell: ({ at }) => <Time at={at} /> },
            { title: text.changed, cell: ({ field }) => wordIn(text.fields, field) },
            { title: text.fromTo, cell: (change) => <FromTo change={change} /> },
          ]}
        />
      )}
    </Section>
  )
}

function FromTo({ change }: { change: Change }) {
  const text = useWords(templateWords)
  const { field, before, after } = change
  const said = (value: string | null): string => (value === null ? text.nothing : saidOf(text, field, value))
  if (field === 'status' && before === null)
    return (
      <Text size="sm">
        {text.appeared}: {said(after)}
      </Text>
    )
  if (field === 'status' && after === null) return <Text size="sm">{text.vanished}</Text>
  return (
    <Stack gap={2}>
      <Text size="sm" c="dimmed" dir={field === 'text' ? 'auto' : undefined} style={{ whiteSpace: 'pre-line' }}>
        <s>{said(before)}</s>
      </Text>
      <Text size="sm" dir={field === 'text' ? 'auto' : undefined} style={{ whiteSpace: 'pre-line' }}>
        {said(after)}
      </Text>
    </Stack>
  )
}

function saidOf(text: TemplateText, field: string, value: string): string {
  if (field === 'status') return wordIn(text.statuses, value)
  if (field === 'category') return wordIn(text.categories, value)
  return field === 'quality' ? qualityIn(text, value) : value
}
