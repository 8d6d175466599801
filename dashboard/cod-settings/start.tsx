import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core'
import type { Answers } from '../api.ts'
import { useLanguage, useWords } from '../words.ts'
import { type Draft, durationOf, startOf } from './draft.ts'
import { languagesOfTemplates } from './languages.tsx'
import { nameOfLanguage } from './languages.ts'
import { codWords } from './words.ts'

type Known = Answers['codSettings']['get']

/** Where nothing is set yet: ready-made texts, one click away. */
export function Start({ known, onStart }: { known: Known; onStart: (draft: Draft) => void }) {
  const text = useWords(codWords)
  const { language } = useLanguage()
  const ofTemplates = languagesOfTemplates(known.templates)
  const others = Object.keys(known.starts).filter((code) => !ofTemplates.includes(code))
  const start = (codes: readonly string[]): void => onStart(firstDraft(known, codes))
  return (
    <Paper withBorder p="xl">
      <Stack align="center" gap="sm">
        <Title order={2} size="h4">
          {text.nothingTitle}
        </Title>
        <Text ta="center" maw={520}>
          {text.nothing}
        </Text>
        {ofTemplates.length > 0 && (
          <Button
            onClick={() => start(ofTemplates)}
            h="auto"
            py="xs"
            styles={{ label: { whiteSpace: 'normal', lineHeight: 1.5 } }}
          >
            {text.startWith} {text.ofYourTemplates}:{' '}
            {ofTemplates.map((code) => nameOfLanguage(code, language)).join(', ')}
          </Button>
        )}
        <Group justify="center" gap="xs">
          {others.map((code) => (
            <Button key={code} variant="default" onClick={() => start([code])}>
              {text.startIn} {nameOfLanguage(code, language)}
            </Button>
          ))}
        </Group>
      </Stack>
    </Paper>
  )
}

/** The place of whoever sets it up is the best guess of where the goods are delivered. */
const firstDraft = ({ starts, defaults }: Known, codes: readonly string[]): Draft => ({
  timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  deliveryDays: { offered: defaults.daysOffered, skipWeekdays: [] },
  confirmation: { reminds: true, reminder: durationOf(120), noResponse: durationOf(defaults.noResponseMinutes) },
  refusal: { reminds: false, reminder: durationOf(120), noResponse: durationOf(defaults.noResponseMinutes) },
  languages: Object.fromEntries(codes.map((code) => [code, startOf(code, starts)])),
})
