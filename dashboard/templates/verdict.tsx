import { Badge, Group, List, Stack, Text } from '@mantine/core'
import { useLanguage, useWords } from '../words.ts'
import { reasonIn } from './reasons.ts'
import { type Listed, USES } from './search.ts'
import { templateWords } from './words.ts'

type Judged = Pick<Listed, 'verdicts' | 'likely'>

/** In a list: what it can be used for, or why not for what it looks made for. */
export function Verdict({ verdicts, likely }: Judged) {
  const text = useWords(templateWords)
  const usable = USES.filter((use) => verdicts[use] === null)
  if (usable.length > 0)
    return (
      <Group gap={4}>
        {usable.map((use) => (
          <Good key={use}>{text.usable[use]}</Good>
        ))}
      </Group>
    )
  return (
    <Stack gap={2}>
      <Bad>{text.notUsableAtAll}</Bad>
      <Reason text={verdicts[likely] ?? ''} />
    </Stack>
  )
}

/** On its own page: each use, and why not. */
export function AllVerdicts({ verdicts, likely }: Judged) {
  const text = useWords(templateWords)
  const inOrder = USES.toSorted((a, b) => Number(b === likely) - Number(a === likely))
  return (
    <List listStyleType="none" spacing="sm">
      {inOrder.map((use) => (
        <List.Item key={use}>
          <Stack gap={2}>
            {verdicts[use] === null ? <Good>{text.usable[use]}</Good> : <Bad>{text.notUsable[use]}</Bad>}
            {verdicts[use] !== null && <Reason text={verdicts[use]} />}
          </Stack>
        </List.Item>
      ))}
    </List>
  )
}

const Good = ({ children }: { children: string }) => (
  <Badge variant="light" color="teal" c="var(--mantine-color-text)" tt="none" w="fit-content" h="auto">
    <span aria-hidden="true">✓ </span>
    {children}
  </Badge>
)

const Bad = ({ children }: { children: string }) => (
  <Badge variant="light" color="gray" c="var(--mantine-color-text)" tt="none" w="fit-content" h="auto">
    <span aria-hidden="true">✕ </span>
    {children}
  </Badge>
)

function Reason({ text: reason }: { text: string }) {
  const { language } = useLanguage()
  const { text, lang } = reasonIn(language, reason)
  return (
    <Text size="sm" lang={lang} dir="auto" maw={560}>
      {text}
    </Text>
  )
}
