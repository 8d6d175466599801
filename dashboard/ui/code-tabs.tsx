import { Tabs } from '@mantine/core'
import { CodeBlock } from './code-block.tsx'

type Tabbed = { label: string; of: Readonly<Record<string, string>>; maxHeight?: number }

/** The same code in several languages: `{ curl: '…', PHP: '…' }`. */
export function CodeTabs({ label, of, ...height }: Tabbed) {
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
          <CodeBlock text={text} isCode {...height} />
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}
