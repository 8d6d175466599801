import { ActionIcon, Button, Code, CopyButton, Group } from '@mantine/core'
import { visibleText } from '../../locales/visible-text.ts'
import { useTexts } from '../texts/use-texts.ts'

/** Text with a copy button: labelled for a block, an icon for a line. The copy is exact. */
export function Copyable({ text: value, block = false }: { text: string; block?: boolean }) {
  const { t } = useTexts()
  return (
    <Group gap={block ? 'xs' : 4} align="flex-start" wrap="nowrap">
      <Code
        block={block}
        style={{
          overflowX: 'auto',
          overflowWrap: 'anywhere',
          whiteSpace: 'pre-wrap',
          minWidth: 0,
          flex: block ? 1 : undefined,
        }}
      >
        {block ? value : visibleText(value)}
      </Code>
      <CopyButton value={value}>
        {({ copied, copy }) =>
          block ? (
            <Button size="compact-xs" variant="default" onClick={copy} style={{ flexShrink: 0 }}>
              {copied ? t('page_shell.copied') : t('page_shell.copy')}
            </Button>
          ) : (
            <ActionIcon
              size={24}
              variant="subtle"
              color={copied ? 'teal' : 'gray'}
              c="var(--mantine-color-dimmed)"
              onClick={copy}
              aria-label={copied ? t('page_shell.copied') : t('page_shell.copy')}
              title={copied ? t('page_shell.copied') : t('page_shell.copy')}
            >
              {copied ? <Tick /> : <TwoSheets />}
            </ActionIcon>
          )
        }
      </CopyButton>
    </Group>
  )
}

const TwoSheets = () => (
  <svg
    viewBox="0 0 16 16"
    width="14"
    height="14"
    fill="none"
    stroke="currentColor"
    strokeWidth="1.5"
    aria-hidden="true"
  >
    <rect x="5.5" y="5.5" width="8" height="8" rx="1.5" />
    <path d="M10.5 3.5v-.2c0-.7-.5-1.3-1.2-1.3H3.8C3 2 2.5 2.6 2.5 3.3v5.9c0 .7.5 1.3 1.200 1.3h.3" />
  </svg>
)

const Tick = () => (
  <svg viewBox="0 0 16 16" width="14" height="14" fill="none" stroke="currentColor" strokeWidth="2" aria-hidden="true">
    <path d="m3 8.5 3.3 3.3L13 5" />
  </svg>
)
