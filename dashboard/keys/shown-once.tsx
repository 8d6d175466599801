import { Anchor, Button, Divider, Stack, Text, TextInput, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { api } from '../api.ts'
import { Copyable } from '../ui/copy.tsx'
import { useWorkspace } from '../ui/workspace.ts'
import { useWords } from '../words.ts'
import { curlOf } from './curl.ts'
import { keyWords } from './words.ts'

/** The complete key, this one time, and a request to try it with. */
export function ShownOnce({ apiKey, note, onDone }: { apiKey: string; note?: ReactNode; onDone: () => void }) {
  const text = useWords(keyWords)
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  return (
    <Stack>
      <Title order={3} size="h5" ref={heading} tabIndex={-1}>
        {text.onceTitle}
      </Title>
      <Copyable text={apiKey} block />
      <Text size="sm">{text.once}</Text>
      {note}
      <Divider />
      <FirstRequest apiKey={apiKey} />
      <Button onClick={onDone}>{text.done}</Button>
    </Stack>
  )
}

/** Of the twin's ordinary customers (emulator/magic-numbers.ts): codes to it arrive. */
const SANDBOX_PHONE = '+212661002001'

const MENDED_AT = {
  account: '/w/$workspaceId/senders',
  sender: '/w/$workspaceId/senders',
  template: '/w/$workspaceId/templates',
} as const

function FirstRequest({ apiKey }: { apiKey: string }) {
  const text = useWords(keyWords)
  const { workspaceId, sandbox } = useWorkspace()
  const [to, setTo] = useState(sandbox ? SANDBOX_PHONE : '')
  const { data } = useQuery(api.keys.firstRequest.queryOptions({ workspaceId }))
  if (!data) return null
  return (
    <Stack gap="xs">
      <Title order={3} size="h5">
        {text.tryIt}
      </Title>
      {data.missing === null ? (
        <>
          <TextInput
            label={text.sendTo}
            description={sandbox ? text.sendToSandbox : text.sendToLive}
            placeholder="+212612345678"
            type="tel"
            dir="ltr"
            value={to}
            onChange={(event) => setTo(event.currentTarget.value)}
          />
          {to.trim() === '' ? (
            <Text size="sm" c="dimmed">
              {text.needsPhone}
            </Text>
          ) : (
            <Copyable text={curlOf({ ...data, apiKey, to: to.trim() })} block />
          )}
        </>
      ) : (
        <Text size="sm">
          {text.missing[data.missing]}{' '}
          <Anchor renderRoot={(props) => <Link {...props} to={MENDED_AT[data.missing]} params={{ workspaceId }} />}>
            {text.mend[data.missing]}
          </Anchor>
        </Text>
      )}
    </Stack>
  )
}
