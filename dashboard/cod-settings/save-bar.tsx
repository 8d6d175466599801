import { Anchor, Button, Group, List, Paper, Stack, Text } from '@mantine/core'
import { modals } from '@mantine/modals'
import type { SettingsFault } from '../../src/cod/settings.ts'
import { useLanguage, useWords } from '../words.ts'
import { placeInWords } from './changes.tsx'
import { faultInWords } from './fault-words.ts'
import classes from './save-bar.module.css'
import { codWords } from './words.ts'

type Saving = {
  unsaved: boolean
  faults: readonly SettingsFault[]
  saving: boolean
  onGoTo: (pointer: string) => void
  onDiscard: () => void
  onSave: () => void
}

/** More than these are found once these are mended. */
const NAMED_MOST = 5

/** Always in sight: whether all is saved, and what stands in the way. */
export function SaveBar({ unsaved, faults, saving, onGoTo, onDiscard, onSave }: Saving) {
  const text = useWords(codWords)
  const { language } = useLanguage()
  const askToDiscard = (): void => {
    modals.openConfirmModal({
      title: `${text.discard}?`,
      children: <Text size="sm">{text.discardText}</Text>,
      labels: { confirm: text.discard, cancel: text.cancel },
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
              {text.faultsTitle}
            </Text>
            <List size="sm" className={classes['faults'] ?? ''}>
              {faults.slice(0, NAMED_MOST).map(({ pointer, detail }) => (
                <List.Item key={`${pointer} ${detail}`}>
                  <Anchor component="button" type="button" size="sm" ta="start" onClick={() => onGoTo(pointer)}>
                    {placeInWords(pointer, text, language)}
                  </Anchor>{' '}
                  {faultInWords(detail, language)}
                </List.Item>
              ))}
              {faults.length > NAMED_MOST && <List.Item>+ {faults.length - NAMED_MOST}</List.Item>}
            </List>
          </div>
        )}
        <Group justify="space-between">
          <Text size="sm" role="status">
            {unsaved ? `● ${text.unsaved}` : text.upToDate}
          </Text>
          <Group gap="xs">
            <Button variant="default" disabled={!unsaved} onClick={askToDiscard}>
              {text.discard}
            </Button>
            <Button disabled={!unsaved} loading={saving} onClick={onSave}>
              {text.save}
            </Button>
          </Group>
        </Group>
      </Stack>
    </Paper>
  )
}
