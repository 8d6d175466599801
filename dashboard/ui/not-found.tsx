import { Button, Container, Stack, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useWords } from '../words.ts'
import { shellWords } from './shell-words.ts'

/** The same for what is missing and for what is another workspace's. */
export function NotFound() {
  const text = useWords(shellWords)
  return (
    <Container size="xs" py="xl">
      <Stack>
        <Title order={1}>{text.notFoundTitle}</Title>
        <Text>{text.notFound}</Text>
        <Button renderRoot={(props) => <Link {...props} to="/" />} w="fit-content">
          {text.toStart}
        </Button>
      </Stack>
    </Container>
  )
}
