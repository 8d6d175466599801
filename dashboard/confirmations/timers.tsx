import { Group, Paper, Stack, Text, Title } from '@mantine/core'
import { useInterval } from '@mantine/hooks'
import { useState } from 'react'
import type { RouterOutputs } from '../api.ts'
import { useTexts } from '../texts/use-texts.ts'
import { spanText } from '../timeline/marks.ts'
import { Time } from '../ui/time.tsx'

type ConfirmationData = Pick<RouterOutputs['confirmations']['get'], 'timers' | 'now'>

const CLOCK_INTERVAL_MS = 15_000

/** Active timers and the time left, by the server's clock: a browser's clock may be wrong. */
export function Timers({ data: { timers, now }, loadedAt }: { data: ConfirmationData; loadedAt: number }) {
  const { t, language } = useTexts()
  const passedMs = usePassed(loadedAt)
  return (
    <section>
      <Title order={2} size="h4" mb="xs">
        {t('page_confirmations.timers')}
      </Title>
      {timers.length === 0 && <Text size="sm">{t('page_confirmations.no_timers')}</Text>}
      <Stack gap="xs">
        {timers.map(({ check, timer, at }) => {
          const leftMs = Date.parse(at) - Date.parse(now) - passedMs
          return (
            <Paper key={`${check} ${timer}`} withBorder p="sm">
              <Text size="sm" fw={600}>
                {check === 'refusal' ? t('page_confirmations.refusal') : t('page_confirmations.confirmation')}
                {t('page_shell.colon')}
                {t(`page_confirmations.${timer}_fires`)}
              </Text>
              <Group gap="xs">
                <Text size="sm">
                  {leftMs > 0
                    ? `${t('page_confirmations.in_time')} ${spanText(leftMs, language)}`
                    : t('page_confirmations.due')}
                </Text>
                <Text size="sm" c="dimmed">
                  <Time at={at} kind="workspace" />
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
  useInterval(() => setNow(Date.now()), CLOCK_INTERVAL_MS, { autoInvoke: true })
  return Math.max(0, now - since)
}
