import { Button, Group, NativeSelect, Paper, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import type { RouterOutputs } from '../api.ts'
import { nameOfLanguage } from '../texts/language.ts'
import { useTexts } from '../texts/use-texts.ts'
import { type Draft, draftOf, startOf } from './draft.ts'
import { languagesOfTemplates } from './languages.tsx'
import { zoneOfBrowser } from './zones.ts'

type CodSettingsData = RouterOutputs['codSettings']['get']

/** Shown while there are no settings: offers ready-made texts. */
export function Start({ known, onStart }: { known: CodSettingsData; onStart: (draft: Draft) => void }) {
  const { t, language } = useTexts()
  const ofTemplates = languagesOfTemplates(known.templates)
  const others = Object.keys(known.starts).filter((code) => !ofTemplates.includes(code))
  const [chosen, setChosen] = useState<string>()
  const other = chosen ?? others.find((code) => code === language) ?? others[0]
  const start = (codes: readonly string[]): void => onStart(firstDraft(known, codes))
  return (
    <Paper withBorder p="xl">
      <Stack align="center" gap="sm">
        <Title order={2} size="h4">
          {t('page_cod_settings.nothing_title')}
        </Title>
        <Text ta="center" maw={520}>
          {t('page_cod_settings.nothing')}
        </Text>
        {ofTemplates.length > 0 && (
          <Button
            onClick={() => start(ofTemplates)}
            h="auto"
            py="xs"
            styles={{ label: { whiteSpace: 'normal', lineHeight: 1.5 } }}
          >
            {t('page_cod_settings.start_with')} {t('page_cod_settings.of_your_templates')}
            {t('page_shell.colon')}
            {new Intl.ListFormat(language).format(ofTemplates.map((code) => nameOfLanguage(code, language)))}
          </Button>
        )}
        {other !== undefined && (
          <Group justify="center" gap="xs">
            <NativeSelect
              aria-label={t('page_shell.language')}
              value={other}
              data={others.map((code) => ({ value: code, label: nameOfLanguage(code, language) }))}
              onChange={({ currentTarget }) => setChosen(currentTarget.value)}
            />
            <Button variant={ofTemplates.length > 0 ? 'default' : 'filled'} onClick={() => start([other])}>
              {t('page_cod_settings.start_in')} {nameOfLanguage(other, language)}
            </Button>
          </Group>
        )}
      </Stack>
    </Paper>
  )
}

/** The browser's time zone is the best guess for the delivery zone. */
export function firstDraft({ starts, defaults }: CodSettingsData, codes: readonly string[]): Draft {
  const draft = draftOf({ ...defaults, timeZone: zoneOfBrowser() })
  const languages = Object.fromEntries(codes.map((code) => [code, startOf(code, starts)]))
  return { ...draft, confirmation: { ...draft.confirmation, reminds: true }, languages }
}
