import { CloseButton, Group, Kbd, Paper, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useTexts } from '../../texts/use-texts.ts'
import classes from './row-preview.module.css'
import { ROW_MOVED, idOfRow } from './rows.ts'

/** Beside it, the list still shows what each row is about. */
const WIDE = '(min-width: 75em)'

/** What the row is about to which a key moved, beside the list. `children` gets the id of the row. */
export function RowPreview({ children }: { children: (id: string) => ReactNode }) {
  const { t } = useTexts()
  const isWide = useMediaQuery(WIDE, true, { getInitialValueInEffect: false })
  const [id, setId] = useState<string>()
  const row = useRef<HTMLElement>(null)
  const isShown = isWide && id !== undefined
  useEffect(() => {
    const show = ({ target }: Event): void => {
      row.current = target as HTMLElement
      setId(idOfRow(target))
    }
    document.addEventListener(ROW_MOVED, show)
    return () => document.removeEventListener(ROW_MOVED, show)
  }, [])
  useEffect(() => {
    if (!isShown) return
    const close = (event: KeyboardEvent): void => {
      if (event.key === 'Escape' && !event.defaultPrevented && !document.querySelector('[role=dialog]'))
        setId(undefined)
    }
    document.addEventListener('keydown', close)
    return () => document.removeEventListener('keydown', close)
  }, [isShown])
  if (!isShown) return null
  return (
    <Paper component="aside" className={classes['preview'] ?? ''} aria-label={t('page_keyboard.preview')}>
      <Group justify="space-between" className={classes['head'] ?? ''}>
        <Text size="sm" c="dimmed">
          <Kbd size="xs">Enter</Kbd> {t('page_keyboard.preview_open')}
        </Text>
        <CloseButton
          aria-label={t('page_shell.close')}
          onClick={() => {
            setId(undefined)
            row.current?.focus()
          }}
        />
      </Group>
      {children(id)}
    </Paper>
  )
}
