import { Badge } from '@mantine/core'
import { useWords } from '../words.ts'
import type { LiveState } from './live.ts'
import { shellWords } from './shell-words.ts'

/** Says whether the page follows what happens: `<Page live={useLive()}>`. */
export function LiveMark({ state }: { state: LiveState }) {
  const text = useWords(shellWords)
  return (
    <Badge
      variant={state === 'live' ? 'light' : 'outline'}
      color={state === 'live' ? 'teal' : 'gray'}
      role="status"
      title={state === 'live' ? text.liveHint : text.notLiveHint}
    >
      <span aria-hidden="true">{state === 'live' ? '● ' : '○ '}</span>
      {state === 'live' ? text.live : text.connecting}
    </Badge>
  )
}
