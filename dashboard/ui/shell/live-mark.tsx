import { Badge } from '@mantine/core'
import { useTexts } from '../../texts/use-texts.ts'
import type { LiveState } from './live.ts'

/** Shows whether the page receives live updates: `<Page live={useLive()}>`. */
export function LiveMark({ state }: { state: LiveState }) {
  const { t } = useTexts()
  return (
    <Badge
      variant={state === 'live' ? 'light' : 'outline'}
      color={state === 'live' ? 'teal' : 'gray'}
      role="status"
      title={state === 'live' ? t('page_shell.live_hint') : t('page_shell.not_live_hint')}
    >
      <span aria-hidden="true">{state === 'live' ? '● ' : '○ '}</span>
      {state === 'live' ? t('page_shell.live') : t('page_shell.connecting')}
    </Badge>
  )
}
