import { Modal, Text } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { useTexts } from '../../texts/use-texts.ts'
import { Confirmation } from '../dialog/confirm-dialog.tsx'

type Props = {
  loses: boolean
  page: 'page_blocked' | 'page_cod_settings' | 'page_endpoints' | 'page_shell'
  onLose?: () => void
}

const NOTHING = { isPending: false, error: null }

/** Asks before unsaved work is lost, by navigation or by closing the tab. */
export function Leaving({ loses, page, onLose }: Props) {
  const { t } = useTexts()
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => loses && current.pathname !== next.pathname,
    enableBeforeUnload: () => loses,
    withResolver: true,
  })
  return (
    <Modal opened={status === 'blocked'} onClose={() => reset?.()} title={t(`${page}.leave_title`)}>
      <Confirmation
        doing={NOTHING}
        yes={t(`${page}.leave`)}
        no={t(`${page}.stay`)}
        colour="red"
        onYes={() => {
          onLose?.()
          proceed?.()
        }}
        onNo={() => reset?.()}
      >
        <Text size="sm">{t(`${page}.leave_text`)}</Text>
      </Confirmation>
    </Modal>
  )
}
