import { Alert, Anchor, Button, Group, List, Stack, Text } from '@mantine/core'
import type { SettingsChange } from '../../src/cod/settings/settings-changes.ts'
import type { CodSettings, Weekday } from '../../src/cod/settings/settings.ts'
import { type PageTexts, useTexts } from '../texts/use-texts.ts'
import { ConfirmDialog } from '../ui/dialog/confirm-dialog.tsx'
import classes from './cod-settings.module.css'
import { type Editing, type StoredSettings, documentOf, draftOf, editingOf, merge } from './draft.ts'
import { minutesText, pointerLabel, useForm } from './form.ts'

type Saving = {
  errors: number
  saving: boolean
  onGoToError: () => void
  onDiscard: () => void
  onSave: () => void
}

/** At the foot of the page while something is unsaved. It has its own place below the fields and sticks to the window. */
export function SaveBar({ errors, saving, onGoToError, onDiscard, onSave }: Saving) {
  const { t } = useTexts()
  return (
    <Group justify="space-between" gap="xs" className={classes['bar'] ?? ''}>
      <Group gap="xs">
        <Text size="sm" role="status">
          {t('page_cod_settings.unsaved')}
        </Text>
        {errors > 0 && (
          <Anchor component="button" type="button" size="sm" c="var(--mantine-color-error)" onClick={onGoToError}>
            {t('page_shell.errors', { count: errors })}
          </Anchor>
        )}
      </Group>
      <Group gap="xs">
        <ConfirmDialog
          label={t('page_cod_settings.discard')}
          title={`${t('page_cod_settings.discard')}?`}
          yes={t('page_cod_settings.discard')}
          colour="red"
          onYes={onDiscard}
        >
          <Text size="sm">{t('page_cod_settings.discard_text')}</Text>
        </ConfirmDialog>
        <Button loading={saving} onClick={onSave}>
          {t('page_cod_settings.save')}
        </Button>
      </Group>
    </Group>
  )
}

type Resolving = { editing: Editing; by: StoredSettings; onResolve: (editing: Editing) => void }

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

type Description = { changes: readonly SettingsChange[]; note?: (pointer: string) => string | undefined }

/** Each changed setting with its old value. */
export function Changes({ changes, note }: Description) {
  const texts = useTexts()
  const { t } = texts
  const { weekdays } = useForm()
  const inWords = (pointer: string, value: unknown) => valueInWords(pointer, value, weekdays, texts)
  return (
    <List size="sm" listStyleType="disc">
      {changes.map(({ pointer, before, after }) => (
        <List.Item key={pointer}>
          <Text span inherit fw={600}>
            {pointerLabel(pointer, texts)}
          </Text>
          {t('page_shell.colon')}
          <bdi>{inWords(pointer, after) ?? t('page_cod_settings.removed')}</bdi>
          {before !== undefined && after !== undefined && (
            <>
              {' '}
              ({t('page_cod_settings.was')} <bdi>{inWords(pointer, before)}</bdi>)
            </>
          )}
          {note?.(pointer) && (
            <Text span inherit display="block" fs="italic">
              {note(pointer)}
            </Text>
          )}
        </List.Item>
      ))}
    </List>
  )
}

/** Returns undefined if there is no value. */
function valueInWords(
  pointer: string,
  value: unknown,
  weekdays: readonly Weekday[],
  { t, language }: PageTexts,
): string | undefined {
  if (value === undefined) return undefined
  if (value === null) return t('page_cod_settings.none')
  if (typeof value === 'number') return pointer.endsWith('Minutes') ? minutesText(value, language) : String(value)
  if (typeof value === 'string') return `“${value}”`
  if (!Array.isArray(value)) return t('page_cod_settings.added')
  const items =
    pointer === '/deliveryDays/skipWeekdays'
      ? weekdays.filter((day) => !value.includes(day)).map((day) => t(`page_cod_settings.${day}`))
      : value.map(String)
  return items.length === 0 ? t('page_cod_settings.none') : new Intl.ListFormat(language).format(items)
}
