import { CheckIcon } from '@radix-ui/react-icons'
import { Anchor, VisuallyHidden } from '@mantine/core'
import { useTexts } from '../texts/use-texts.ts'
import classes from './quickstart.module.css'

const STEPS = ['send', 'answer', 'webhook'] as const
type Step = (typeof STEPS)[number]

/** The steps in their order, with the next one marked. The webhook, once it is there, may be out of sight: its step leads to it. */
export function Steps({ done, webhookId }: { done: Readonly<Record<Step, boolean>>; webhookId: string }) {
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
            {step === 'webhook' && done.webhook ? (
              <Anchor href={`#${webhookId}`} inherit>
                {t('page_quickstart.step_webhook')}
              </Anchor>
            ) : (
              t(`page_quickstart.step_${step}`)
            )}
            {done[step] && <VisuallyHidden component="span"> ({t('page_overview.done')})</VisuallyHidden>}
          </span>
        </li>
      ))}
    </ol>
  )
}
