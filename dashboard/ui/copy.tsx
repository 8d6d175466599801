import { ActionIcon, Code, CopyButton, Group } from '@mantine/core'
import { CheckIcon, CopyIcon } from '@radix-ui/react-icons'
import { visibleText } from '../../locales/visible-text.ts'
import { useTexts } from '../texts/use-texts.ts'
import { CodeBlock } from './code-block.tsx'

/** Text with a copy button: a line, or a block. The copy is exact. */
export function Copyable({ text: value, block = false }: { text: string; block?: boolean }) {
  if (block) return <CodeBlock text={value} />
  return (
    <Group gap={4} align="flex-start" wrap="nowrap">
      <Code style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap', minWidth: 0 }}>{visibleText(value)}</Code>
      <CopyText text={value} />
    </Group>
  )
}

/** The copy button of a text that is shown. */
export function CopyText({ text }: { text: string }) {
  const { t } = useTexts()
  return (
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <ActionIcon
          size={24}
          variant="subtle"
          color={copied ? 'success' : 'neutral'}
          c="var(--mantine-color-dimmed)"
          onClick={copy}
          aria-label={copied ? t('page_shell.copied') : t('page_shell.copy')}
          title={copied ? t('page_shell.copied') : t('page_shell.copy')}
        >
          {copied ? <CheckIcon aria-hidden="true" /> : <CopyIcon aria-hidden="true" />}
        </ActionIcon>
      )}
    </CopyButton>
  )
}
