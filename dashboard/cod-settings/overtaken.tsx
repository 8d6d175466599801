import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import type { CodSettings } from '../../src/cod/settings.ts'
import { useWords } from '../words.ts'
import { Changes } from './changes.tsx'
import { documentOf, draftOf } from './draft.ts'
import { type Editing, type Stored, editingOf } from './editing.ts'
import { merge } from './merge.ts'
import { codWords } from './words.ts'

type Resolving = { editing: Editing; by: Stored; onResolve: (editing: Editing) => void }

/** Two wrote at once: what the other one changed, and both ways on. Nothing is lost before one of them is chosen. */
export function Overtaken({ editing: { draft, base }, by, onResolve }: Resolving) {
  const text = useWords(codWords)
  const mine: CodSettings = documentOf(draft)
  const { settings, theirs, both } = merge(base?.settings, mine, by.settings)
  return (
    <Alert color="orange" role="alert" title={text.overtakenTitle}>
      <Stack gap="sm">
        <Text size="sm">{text.overtaken}</Text>
        <Changes changes={theirs} note={(pointer) => (both.includes(pointer) ? text.overtakenBoth : undefined)} />
        <Group gap="xs">
          <Button size="compact-md" onClick={() => onResolve({ draft: draftOf(settings), base: by })}>
            {text.mergeMine}
          </Button>
          <Button size="compact-md" variant="default" onClick={() => onResolve(editingOf(by))}>
            {text.takeTheirs}
          </Button>
        </Group>
      </Stack>
    </Alert>
  )
}
