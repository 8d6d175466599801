import { Group, Paper, Stack, Text, Title } from '@mantine/core'
import { useInterval } from '@mantine/hooks'
import { useState } from 'react'
import type { Answers } from '../api.ts'
import { spanInWords } from '../timeline/marks.ts'
import { Time } from '../ui/time.tsx'
import { useLanguage, useWords } from '../words.ts'
import { confirmationWords } from './words.ts'

type Told = Pick<Answers['confirmations']['get'], 'timers' | 'now'>

const RINGS = { reminder: 'reminderRings', deadline: 'deadlineRings', follow_up: 'followUpRings' } as const
const LOOK_AT_THE_CLOCK_MS = 15_000

/** What happens by itself, and in how long. The server's clock counts, since nobody's own is sure to be right. */
export function Timers({ told: { timers, now }, askedAt }: { told: Told; askedAt: number }) {
  const text = useWords(confirmationWords)
  const { language } = useLanguage()
  const passedMs = usePassed(askedAt)
  return (
    <section>
      <Title order={2} size="h4" mb="xs">
        {text.timers}
      </Title>
      {timers.length === 0 && <Text size="sm">{text.noTimers}</Text>}
      <Stack gap="xs">
        {timers.map(({ check, rings, at }) => {
          const leftMs = Date.parse(at) - Date.parse(now) - passedMs
          return (
            <Paper key={`${check} ${rings}`} withBorder p="sm">
              <Text size="sm" fw={600}>
                {check === 'refusal' ? text.refusal : text.confirmation}: {text[RINGS[rings]]}
              </Text>
              <Group gap="xs">
                <Text size="sm">{leftMs > 0 ? `${text.inTime} ${spanInWords(leftMs, language)}` : text.due}</Text>
                <Text size="sm" c="dimmed">
                  <Time at={at} />
                </Text>
              </Group>
            </Paper>
          )
        })}
      </Stack>
    </section>
  )
}

function usePassed(since: number): number {
  const [now, setNow] = useState(Date.now)
  useInterval(() => setNow(Date.now()), LOOK_AT_THE_CLOCK_MS, { autoInvoke: true })
  return Math.max(0, now - since)
}
