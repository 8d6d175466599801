import { Code, Group, SegmentedControl, Stack, Title } from '@mantine/core'
import { useState } from 'react'
import { useWords } from '../words.ts'
import { pretty } from './body.ts'
import { endpointWords } from './words.ts'

/** The exact text that is signed and sent, or the same with each member on a line of its own. */
export function Body({ text: body }: { text: string }) {
  const text = useWords(endpointWords)
  const [view, setView] = useState<'pretty' | 'raw'>('pretty')
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Title order={3} size="h5">
          {text.body}
        </Title>
        <SegmentedControl
          size="xs"
          aria-label={text.body}
          value={view}
          onChange={setView}
          data={[
            { value: 'pretty', label: text.pretty },
            { value: 'raw', label: text.raw },
          ]}
        />
      </Group>
      <Code block tabIndex={0} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {view === 'pretty' ? pretty(body) : body}
      </Code>
    </Stack>
  )
}
