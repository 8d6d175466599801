import { Anchor, Button, Group, Text } from '@mantine/core'
import { modals } from '@mantine/modals'
import { useTexts } from '../../texts/use-texts.ts'
import classes from './save-bar.module.css'

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
        <Button variant="default" onClick={askToDiscard}>
          {t('page_cod_settings.discard')}
        </Button>
        <Button loading={saving} onClick={onSave}>
          {t('page_cod_settings.save')}
        </Button>
      </Group>
    </Group>
  )
}
