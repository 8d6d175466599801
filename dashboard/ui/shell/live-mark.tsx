import { Tooltip, VisuallyHidden } from '@mantine/core'
import { useTexts } from '../../texts/use-texts.ts'
import type { LiveState } from './live.ts'
import classes from './live-mark.module.css'

/** A dot that shows whether the page updates automatically: `<Page live={useLive()}>`. */
export function LiveMark({ state }: { state: LiveState }) {
  const { t } = useTexts()
  const text = state === 'live' ? t('page_shell.live_hint') : t('page_shell.not_live_hint')
  return (
    <Tooltip label={text}>
      <span className={classes['mark']} data-state={state} role="status">
        <VisuallyHidden component="span">{text}</VisuallyHidden>
      </span>
    </Tooltip>
  )
}
