import { useInterval } from '@mantine/hooks'
import { useState } from 'react'
import type { RouterOutputs } from '../api.ts'
import { useTexts } from '../texts/use-texts.ts'
import { spanText } from '../ui/time/span.ts'
import { Fact } from '../ui/facts.tsx'
import { Time } from '../ui/time.tsx'

type ConfirmationData = Pick<RouterOutputs['confirmations']['get'], 'timers' | 'now'>

const CLOCK_INTERVAL_MS = 15_000

/** What happens without an answer, and when. Times count by the server's clock: a browser's clock may be wrong. */
export function Timers({ data: { timers, now }, loadedAt }: { data: ConfirmationData; loadedAt: number }) {
  const { t, language } = useTexts()
  const passedMs = usePassed(loadedAt)
  return timers.map(({ check, timer, at }) => {
    const leftMs = Date.parse(at) - Date.parse(now) - passedMs
    const refusal = check === 'refusal' ? `${t('page_confirmations.refusal')}${t('page_shell.colon')}` : ''
    return (
      <Fact key={`${check} ${timer}`} title={`${refusal}${t(`page_confirmations.${timer}_fires`)}`}>
        {leftMs > 0 ? `${t('page_confirmations.in_time')} ${spanText(leftMs, language)}` : t('page_confirmations.due')}
        {' · '}
        <Time at={at} kind="workspace" />
      </Fact>
    )
  })
}

function usePassed(since: number): number {
  const [now, setNow] = useState(Date.now)
  useInterval(() => setNow(Date.now()), CLOCK_INTERVAL_MS, { autoInvoke: true })
  return Math.max(0, now - since)
}
