import { Box, Button, Code } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { useTexts } from '../texts/use-texts.ts'
import classes from './as-typed.module.css'
import { partsOfCode } from './code-parts.ts'
import { useCopy } from './use-copy.ts'

type Block = {
  text: string
  /** A program or JSON, whose parts have colours. */
  isCode?: boolean
  /** What the button copies. Needed if the page has several. */
  label?: string | undefined
  /** Called after a copy that worked. */
  onCopy?: (() => void) | undefined
  /** Longer text scrolls. So do long lines, unless there is only one. */
  maxHeight?: number
  autoFocus?: boolean
}

/** Code exactly as written, with its copy button inside. */
export function CodeBlock({ text, isCode = false, label, onCopy, maxHeight, autoFocus = false }: Block) {
  const { t } = useTexts()
  const { copied, copy } = useCopy(text)
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (autoFocus) button.current?.focus()
  }, [autoFocus])
  return (
    <Box className={classes['block']}>
      <Code
        block
        className={classes['code'] ?? ''}
        data-wraps={!text.includes('\n') || undefined}
        tabIndex={0}
        {...(maxHeight !== undefined && { mah: maxHeight })}
      >
        {isCode
          ? partsOfCode(text).map(({ kind, text: part }, index) => (
              <span key={index} className={classes[kind]}>
                {part}
              </span>
            ))
          : text}
      </Code>
      <Button
        ref={button}
        className={classes['copy'] ?? ''}
        size="compact-xs"
        variant="default"
        aria-label={copied ? t('page_shell.copied') : (label ?? t('page_shell.copy'))}
        onClick={() => void copy().then((isCopied) => isCopied && onCopy?.())}
      >
        {copied ? t('page_shell.copied') : t('page_shell.copy')}
      </Button>
    </Box>
  )
}
