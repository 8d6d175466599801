import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { api } from '../api.ts'
import { useTexts } from '../texts/use-texts.ts'
import { ToStart } from '../ui/shell/not-found.tsx'
import { Shell } from '../ui/shell/shell.tsx'
import { Frame } from './frame.tsx'

/** An address without a page. A signed-in person keeps the frame, which leads to their workspaces. */
export function UnknownPage() {
  const { t } = useTexts()
  const { data: session, isPending } = useQuery(api.session.current.queryOptions())
  if (isPending) return null
  if (session) return <Shell />
  return (
    <Frame title={t('page_shell.not_found_title')}>
      <Text>{t('page_shell.not_found')}</Text>
      <ToStart />
    </Frame>
  )
}
