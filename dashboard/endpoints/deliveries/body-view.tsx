import { Group, SegmentedControl, Stack, Title } from '@mantine/core'
import { useState } from 'react'
import { useTexts } from '../../texts/use-texts.ts'
import { CodeBlock } from '../../ui/code-block.tsx'
import { pretty } from './body.ts'

/** The exact text that is signed and sent, or formatted. */
export function Body({ text: body }: { text: string }) {
  const { t } = useTexts()
  const [view, setView] = useState<'pretty' | 'raw'>('pretty')
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Title order={3} size="h5">
          {t('page_endpoints.body')}
        </Title>
        <SegmentedControl
          size="xs"
          aria-label={t('page_endpoints.body')}
          value={view}
          onChange={setView}
          data={[
            { value: 'pretty', label: t('page_endpoints.pretty') },
            { value: 'raw', label: t('page_endpoints.raw') },
          ]}
        />
      </Group>
      <CodeBlock text={view === 'pretty' ? pretty(body) : body} />
    </Stack>
  )
}
