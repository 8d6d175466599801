import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import type { CodSettings } from '../../../src/cod/settings/settings.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Changes } from './changes.tsx'
import { documentOf, draftOf } from './draft.ts'
import { type Editing, type Stored, editingOf } from './editing.ts'
import { merge } from './merge.ts'

type Resolving = { editing: Editing; by: Stored; onResolve: (editing: Editing) => void }

/** A concurrent edit: what the other person changed, and both ways to resolve it. Nothing is lost until one is chosen. */
export function EditConflict({ editing: { draft, base }, by, onResolve }: Resolving) {
  const { t } = useTexts()
  const mine: CodSettings = documentOf(draft)
  const { settings, theirs, both } = merge(base?.settings, mine, by.settings)
  return (
    <Alert color="warning" role="alert" title={t('page_cod_settings.conflict_title')}>
      <Stack gap="sm">
        <Text size="sm">{t('page_cod_settings.conflict')}</Text>
        <Changes
          changes={theirs}
          note={(pointer) => (both.includes(pointer) ? t('page_cod_settings.conflict_both') : undefined)}
        />
        <Group gap="xs">
          <Button size="compact-md" onClick={() => onResolve({ draft: draftOf(settings), base: by })}>
            {t('page_cod_settings.merge_mine')}
          </Button>
          <Button size="compact-md" variant="default" onClick={() => onResolve(editingOf(by))}>
            {t('page_cod_settings.take_theirs')}
          </Button>
        </Group>
      </Stack>
    </Alert>
  )
}
