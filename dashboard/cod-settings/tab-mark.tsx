import { Badge, VisuallyHidden } from '@mantine/core'
import { useTexts } from '../texts/use-texts.ts'
import { useForm } from './draft/form.ts'
import classes from './tab-mark.module.css'

/** A mark on a tab: how many errors its fields show, or that some fields have unsaved changes. */
export function TabMark({ has }: { has: (pointer: string) => boolean }) {
  const { t, n } = useTexts()
  const { faults, changed } = useForm()
  const errors = faults.filter(({ pointer }) => has(pointer)).length
  if (errors > 0)
    return (
      <Badge color="failure" variant="light" size="sm">
        <span aria-hidden="true">{n(errors)}</span>
        <VisuallyHidden component="span">{t('page_shell.errors', { count: errors })}</VisuallyHidden>
      </Badge>
    )
  if (!changed.some(has)) return null
  return (
    <span className={classes['changed']} title={t('page_cod_settings.unsaved')}>
      <VisuallyHidden component="span">{t('page_cod_settings.unsaved')}</VisuallyHidden>
    </span>
  )
}
