import { numberFormat } from '../texts/formats.ts'
import { useTexts } from '../texts/use-texts.ts'
import { useWorkspace } from './workspace.ts'

/** Why no page can send now, in a sentence: the server rejects it while a sandbox is filled or emptied. Otherwise undefined. */
export function useBusySandbox(): string | undefined {
  const { t, language } = useTexts()
  const { sandboxWork } = useWorkspace()
  if (!sandboxWork) return undefined
  if (sandboxWork.kind === 'empty') return t('sandbox.busy_empty')
  const share = numberFormat(language, { style: 'percent' }).format(Math.min(1, sandboxWork.share ?? 0))
  return t('page_workspaces.wait_for_month', { share })
}
