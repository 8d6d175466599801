import { Button, Code, CopyButton, Group } from '@mantine/core'
import { useWords } from '../words.ts'
import { shellWords } from './shell-words.ts'

/** Text that is typed as it stands, with a button that copies it. */
export function Copyable({ text: value, block = false }: { text: string; block?: boolean }) {
  const text = useWords(shellWords)
  return (
    <Group gap="xs" align="flex-start" wrap="nowrap">
      <Code
        block={block}
        style={{ overflowX: 'auto', overflowWrap: 'anywhere', whiteSpace: 'pre-wrap', flex: block ? 1 : undefined }}
      >
        {value}
      </Code>
      <CopyButton value={value}>
        {({ copied, copy }) => (
          <Button size="compact-xs" variant="default" onClick={copy} style={{ flexShrink: 0 }}>
            {copied ? text.copied : text.copy}
          </Button>
        )}
      </CopyButton>
    </Group>
  )
}
