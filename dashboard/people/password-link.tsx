import { Button, Checkbox, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../api.ts'
import { Failed } from '../ui/failed.tsx'
import { useWorkspace } from '../ui/workspace.ts'
import { useWords } from '../words.ts'
import { LinkOnce } from './link-once.tsx'
import type { Member } from './people.tsx'
import { peopleWords } from './words.ts'

/** For somebody who forgot their password; only who runs the instance gets here. */
export function PasswordLink({ member: { userId, email, twoFactor }, onDone }: { member: Member; onDone: () => void }) {
  const text = useWords(peopleWords)
  const { workspaceId } = useWorkspace()
  const [endsSecondFactor, setEndsSecondFactor] = useState(false)
  const make = useMutation(api.people.makePasswordLink.mutationOptions())
  if (make.data) return <LinkOnce {...make.data} about={text.passwordOnce(email)} onDone={onDone} />
  return (
    <Stack>
      <Text size="sm">{text.passwordAbout}</Text>
      {twoFactor && (
        <Checkbox
          label={text.endsSecondFactor}
          description={text.endsSecondFactorHint}
          checked={endsSecondFactor}
          onChange={(event) => setEndsSecondFactor(event.currentTarget.checked)}
        />
      )}
      {make.error && <Failed error={make.error} />}
      <Button loading={make.isPending} onClick={() => make.mutate({ workspaceId, userId, endsSecondFactor })}>
        {text.makeLink}
      </Button>
    </Stack>
  )
}
