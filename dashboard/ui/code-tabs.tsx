import { Tabs } from '@mantine/core'
import { CodeBlock } from './code-block.tsx'

/** The same code in several languages: `{ curl: '…', PHP: '…' }`. */
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
          <CodeBlock text={text} isCode />
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}
