import { Box, Button, Code, CopyButton, Tabs } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { useTexts } from '../texts/use-texts.ts'
import classes from './code-block.module.css'

type Block = {
  text: string
  /** What the button copies, where the page has several. */
  label?: string | undefined
  onCopy?: (() => void) | undefined
  /** Longer text scrolls. */
  maxHeight?: number
  autoFocus?: boolean
}

/** Code as typed, with its copy button inside. */
export function CodeBlock({ text, label, onCopy, maxHeight, autoFocus = false }: Block) {
  const { t } = useTexts()
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (autoFocus) button.current?.focus()
  }, [autoFocus])
  return (
    <Box className={classes['block']}>
      <Code block className={classes['code'] ?? ''} {...(maxHeight !== undefined && { mah: maxHeight, tabIndex: 0 })}>
        {text}
      </Code>
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <Button
            ref={button}
            className={classes['copy'] ?? ''}
            size="compact-xs"
            variant="default"
            aria-label={copied ? t('page_shell.copied') : (label ?? t('page_shell.copy'))}
            onClick={copy}
          >
            {copied ? t('page_shell.copied') : t('page_shell.copy')}
            {copied && <Told by={onCopy} />}
          </Button>
        )}
      </CopyButton>
    </Box>
  )
}

/** Copying may fail: only a success is announced. */
function Told({ by: onCopy }: { by: (() => void) | undefined }) {
  useEffect(() => onCopy?.(), [onCopy])
  return null
}

/** The same in several languages: `{ curl: '…', PHP: '…' }`. */
export function CodeTabs({ label, of }: { label: string; of: Readonly<Record<string, string>> }) {
  const names = Object.keys(of)
  return (
    <Tabs defaultValue={names[0] ?? null} variant="outline">
      <Tabs.List aria-label={label}>
        {names.map((name) => (
          <Tabs.Tab key={name} value={name}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {Object.entries(of).map(([name, text]) => (
        <Tabs.Panel key={name} value={name} pt="xs">
          <CodeBlock text={text} />
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}
