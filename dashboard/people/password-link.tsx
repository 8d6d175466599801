import { Button, Checkbox, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../api.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Failed } from '../ui/failed.tsx'
import { useWorkspace } from '../ui/workspace.ts'
import { LinkOnce } from './link-once.tsx'
import type { Member } from './dialog-action.ts'

/** A password reset link. Only the operator of the instance can create one. */
export function PasswordLink({ member: { userId, email, twoFactor }, onDone }: { member: Member; onDone: () => void }) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const [endsSecondFactor, setEndsSecondFactor] = useState(false)
  const make = useMutation(api.people.makePasswordLink.mutationOptions())
  if (make.data) return <LinkOnce {...make.data} about={t('page_people.password_once', { email })} onDone={onDone} />
  return (
    <Stack>
      <Text size="sm">{t('page_people.password_about')}</Text>
      {twoFactor && (
        <Checkbox
          label={t('page_people.ends_second_factor')}
          description={t('page_people.ends_second_factor_hint')}
          checked={endsSecondFactor}
          onChange={(event) => setEndsSecondFactor(event.currentTarget.checked)}
        />
      )}
      {make.error && <Failed error={make.error} />}
      <Button loading={make.isPending} onClick={() => make.mutate({ workspaceId, userId, endsSecondFactor })}>
        {t('page_people.make_link')}
      </Button>
    </Stack>
  )
}
