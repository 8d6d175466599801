import { Alert, Button, Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useWords } from '../words.ts'
import { shellWords } from './shell-words.ts'
import { Time } from './time.tsx'

export type LinkOf = (props: object) => ReactNode

/** The way through a list page by page, and how far a page looked that ended before it was full. */
export function ListPages({
  lookedBackTo,
  newest,
  older,
}: {
  lookedBackTo: string | null
  newest: LinkOf | undefined
  older: LinkOf | undefined
}) {
  const text = useWords(shellWords)
  return (
    <>
      {lookedBackTo !== null && (
        <Alert color="blue" role="status">
          <Text size="sm">
            {text.lookedBack} <Time at={lookedBackTo} />. {text.lookedBackHint}
          </Text>
        </Alert>
      )}
      {(newest ?? older) && (
        <Group component="nav" aria-label={text.pages} gap="sm">
          {newest && (
            <Button variant="default" renderRoot={newest}>
              {text.newest}
            </Button>
          )}
          {older && (
            <Button variant="default" renderRoot={older}>
              {lookedBackTo === null ? text.older : text.lookFurther}
            </Button>
          )}
        </Group>
      )}
    </>
  )
}
