import { Anchor, Button, Group, List, Paper, Stack, Text } from '@mantine/core'
import { modals } from '@mantine/modals'
import type { SettingsFault } from '../../../src/cod/settings/settings.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { pointerLabel } from './changes.tsx'
import classes from './save-bar.module.css'

type Saving = {
  unsaved: boolean
  faults: readonly SettingsFault[]
  saving: boolean
  onGoTo: (pointer: string) => void
  onDiscard: () => void
  onSave: () => void
}

/** The others follow once these are fixed. */
const MAX_FAULTS_SHOWN = 5

/** Always visible. */
export function SaveBar({ unsaved, faults, saving, onGoTo, onDiscard, onSave }: Saving) {
  const { t, textOf, language } = useTexts()
  const askToDiscard = (): void => {
    modals.openConfirmModal({
      title: `${t('page_cod_settings.discard')}?`,
      children: <Text size="sm">{t('page_cod_settings.discard_text')}</Text>,
      labels: { confirm: t('page_cod_settings.discard'), cancel: t('page_cod_settings.cancel') },
      confirmProps: { color: 'red' },
      onConfirm: onDiscard,
    })
  }
  return (
    <Paper withBorder p="sm" shadow="md" className={classes['bar'] ?? ''}>
      <Stack gap="xs">
        {unsaved && faults.length > 0 && (
          <div>
            <Text size="sm" fw={600}>
              {t('page_cod_settings.faults_title')}
            </Text>
            <List size="sm" className={classes['faults'] ?? ''}>
              {faults.slice(0, MAX_FAULTS_SHOWN).map(({ pointer, detail }) => (
                <List.Item key={`${pointer} ${detail.code}`}>
                  <Anchor component="button" type="button" size="sm" ta="start" onClick={() => onGoTo(pointer)}>
                    {pointerLabel(pointer, t, language)}
                  </Anchor>{' '}
                  {textOf(detail)}
                </List.Item>
              ))}
              {faults.length > MAX_FAULTS_SHOWN && <List.Item>+ {faults.length - MAX_FAULTS_SHOWN}</List.Item>}
            </List>
          </div>
        )}
        <Group justify="space-between">
          <Text size="sm" role="status">
            {unsaved ? `● ${t('page_cod_settings.unsaved')}` : t('page_cod_settings.up_to_date')}
          </Text>
          <Group gap="xs">
            <Button variant="default" disabled={!unsaved} onClick={askToDiscard}>
              {t('page_cod_settings.discard')}
            </Button>
            <Button disabled={!unsaved} loading={saving} onClick={onSave}>
              {t('page_cod_settings.save')}
            </Button>
          </Group>
        </Group>
      </Stack>
    </Paper>
  )
}
