import { List, Stack, Text } from '@mantine/core'
import { useWords } from '../words.ts'
import { type Listed, USES, type Use } from './search.ts'
import { Label } from './label.tsx'
import { templateWords } from './words.ts'

type Judged = Pick<Listed, 'verdicts' | 'onceApproved' | 'likely' | 'status'>

/** Statuses after which a template can be sent (again) without anybody's doing. */
const PASSING = ['PENDING', 'IN_APPEAL', 'PAUSED']

/** In a list: what it can be used for, or why not for what it looks made for. */
export function Verdict(judged: Judged) {
  const { verdicts, onceApproved, likely } = judged
  const usable = USES.filter((use) => verdicts[use] === null)
  const fit = USES.filter((use) => onceApproved[use] === null)
  const shown = usable.length > 0 ? usable : fit.length > 0 ? fit : [likely]
  return (
    <Stack gap={4}>
      {shown.map((use) => (
        <OneVerdict key={use} use={use} judged={judged} />
      ))}
    </Stack>
  )
}

/** On its own page: each use, and why not. */
export function AllVerdicts({ judged }: { judged: Judged }) {
  const inOrder = USES.toSorted((a, b) => Number(b === judged.likely) - Number(a === judged.likely))
  return (
    <List listStyleType="none" spacing="sm">
      {inOrder.map((use) => (
        <List.Item key={use}>
          <OneVerdict use={use} judged={judged} />
        </List.Item>
      ))}
    </List>
  )
}

function OneVerdict({ use, judged: { verdicts, onceApproved, status } }: { use: Use; judged: Judged }) {
  const text = useWords(templateWords)
  if (verdicts[use] === null) return <Good>{text.usable[use]}</Good>
  const reason = onceApproved[use] ?? verdicts[use]
  if (onceApproved[use] === null && PASSING.includes(status)) return <Awaited>{text.usableLater[use]}</Awaited>
  return (
    <Stack gap={2}>
      <Bad>{text.notUsable[use]}</Bad>
      <Reason text={reason} />
    </Stack>
  )
}

const Awaited = ({ children }: { children: string }) => (
  <Label color="blue">
    <span aria-hidden="true">… </span>
    {children}
  </Label>
)

const Good = ({ children }: { children: string }) => (
  <Label color="teal">
    <span aria-hidden="true">✓ </span>
    {children}
  </Label>
)

const Bad = ({ children }: { children: string }) => (
  <Label color="gray">
    <span aria-hidden="true">✕ </span>
    {children}
  </Label>
)

const Reason = ({ text }: { text: string | null }) => (
  <Text size="sm" maw={560}>
    {text}
  </Text>
)
