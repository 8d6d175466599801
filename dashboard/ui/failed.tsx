import { Alert, Button, Stack, Text } from '@mantine/core'
import { TRPCClientError } from '@trpc/client'
import { codeOf } from '../api.ts'
import { useWords } from '../words.ts'
import { shellWords } from './shell-words.ts'

/** Why something did not work, in the server's own sentence, and what can be done about it. */
export function Failed({ error, onAgain }: { error: unknown; onAgain?: () => void }) {
  const text = useWords(shellWords)
  return (
    <Alert color="red" title={text.failedTitle} role="alert">
      <Stack gap="xs">
        <Text size="sm">{sentenceOf(error) ?? text.unreachable}</Text>
        {onAgain && (
          <Button size="compact-sm" variant="default" w="fit-content" onClick={onAgain}>
            {text.again}
          </Button>
        )}
      </Stack>
    </Alert>
  )
}

/** Undefined when no answer came at all. */
export const sentenceOf = (error: unknown): string | undefined =>
  error instanceof TRPCClientError && codeOf(error) !== undefined ? error.message : undefined
