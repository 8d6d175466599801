import { Anchor, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'

/** A failure code or a problem code, with its page of the API's reference. */
export const CodeLink = ({ code }: { code: string }) => (
  <Anchor inherit href={`/problems/${code}`} target="_blank" rel="noreferrer">
    <code>{code}</code>
  </Anchor>
)

/** A status of a list, with the code below it where it failed. */
export const FailureBelow = ({ code, children }: { code: string | null; children: ReactNode }) =>
  code === null ? (
    children
  ) : (
    <Stack gap={2} align="flex-start">
      {children}
      <Text size="xs">
        <CodeLink code={code} />
      </Text>
    </Stack>
  )
