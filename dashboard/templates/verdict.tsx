import type { CodedText } from '../../locales/text.ts'
import { List, Stack, Text } from '@mantine/core'
import { useTexts } from '../texts/use-texts.ts'
import { type ListedTemplate, USES, type Use } from './search.ts'
import { Label } from './label.tsx'

type WithVerdicts = Pick<ListedTemplate, 'verdicts' | 'onceApproved' | 'likely' | 'status'>

/** Statuses after which a template can be sent (again) without anybody's doing. */
const PASSING = ['PENDING', 'IN_APPEAL', 'PAUSED']

/** In a list: what the template can be used for, or why it does not fit its likely use. */
export function Verdict(judged: WithVerdicts) {
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
export function AllVerdicts({ judged }: { judged: WithVerdicts }) {
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

function OneVerdict({ use, judged: { verdicts, onceApproved, status } }: { use: Use; judged: WithVerdicts }) {
  const { t } = useTexts()
  if (verdicts[use] === null) return <Usable>{t(`page_templates.usable_${use}`)}</Usable>
  const reason = onceApproved[use] ?? verdicts[use]
  if (onceApproved[use] === null && PASSING.includes(status))
    return <UsableLater>{t(`page_templates.usable_later_${use}`)}</UsableLater>
  return (
    <Stack gap={2}>
      <Unusable>{t(`page_templates.not_usable_${use}`)}</Unusable>
      <Reason text={reason} />
    </Stack>
  )
}

const UsableLater = ({ children }: { children: string }) => (
  <Label color="blue">
    <span aria-hidden="true">… </span>
    {children}
  </Label>
)

const Usable = ({ children }: { children: string }) => (
  <Label color="teal">
    <span aria-hidden="true">✓ </span>
    {children}
  </Label>
)

const Unusable = ({ children }: { children: string }) => (
  <Label color="gray">
    <span aria-hidden="true">✕ </span>
    {children}
  </Label>
)

function Reason({ text }: { text: CodedText | null }) {
  const { textOf } = useTexts()
  return (
    <Text size="sm" maw={560}>
      {text && textOf(text)}
    </Text>
  )
}
