import { Radio, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { useWords } from '../words.ts'
import type { Member } from './people.tsx'
import { peopleWords } from './words.ts'

const ROLES = ['member', 'admin', 'owner'] as const satisfies readonly Member['role'][]

export function RoleChoice(props: { value: Member['role']; onChange: (role: string) => void; error?: ReactNode }) {
  const text = useWords(peopleWords)
  return (
    <Radio.Group label={text.role} {...props}>
      <Stack gap="xs" mt="xs">
        {ROLES.map((role) => (
          <Radio key={role} value={role} label={text.roles[role]} description={text.may[role]} />
        ))}
      </Stack>
    </Radio.Group>
  )
}
