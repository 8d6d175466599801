import { Radio, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTexts } from '../texts/use-texts.ts'
import type { Member } from './dialog-action.ts'

const ROLES = ['member', 'admin', 'owner'] as const satisfies readonly Member['role'][]

export function RoleChoice(props: { value: Member['role']; onChange: (role: string) => void; error?: ReactNode }) {
  const { t } = useTexts()
  return (
    <Radio.Group label={t('page_people.role')} {...props}>
      <Stack gap="xs" mt="xs">
        {ROLES.map((role) => (
          <Radio
            key={role}
            value={role}
            label={t(`page_people.roles_${role}`)}
            description={t(`page_people.may_${role}`)}
          />
        ))}
      </Stack>
    </Radio.Group>
  )
}
