import { CheckIcon } from '@radix-ui/react-icons'
import { VisuallyHidden } from '@mantine/core'
import { useTexts } from '../texts/use-texts.ts'
import classes from './quickstart.module.css'

const STEPS = ['send', 'answer', 'webhook'] as const
type Step = (typeof STEPS)[number]

/** The steps in their order, with the next one marked. */
export function Steps({ done }: { done: Readonly<Record<Step, boolean>> }) {
  const { t, n } = useTexts()
  const next = STEPS.find((step) => !done[step])
  return (
    <ol className={classes['steps']} aria-label={t('page_quickstart.steps')}>
      {STEPS.map((step, index) => (
        <li key={step} data-done={done[step] || undefined} aria-current={step === next ? 'step' : undefined}>
          <span className={classes['mark']} aria-hidden="true">
            {done[step] ? <CheckIcon /> : n(index + 1)}
          </span>
          <span>
            {t(`page_quickstart.step_${step}`)}
            {done[step] && <VisuallyHidden component="span"> ({t('page_overview.done')})</VisuallyHidden>}
          </span>
        </li>
      ))}
    </ol>
  )
}
