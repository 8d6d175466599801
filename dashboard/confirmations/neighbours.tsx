import { ActionIcon, Group } from '@mantine/core'
import { ChevronLeftIcon, ChevronRightIcon } from '@radix-ui/react-icons'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { pageQueries } from '../queries.ts'
import { useTexts } from '../texts/use-texts.ts'
import { linkTo } from '../ui/link.tsx'
import { useSwipe } from '../ui/shell/swipe.ts'
import { useWorkspace } from '../ui/workspace.ts'

const PAGE = '/w/$workspaceId/confirmations/$confirmationId'

/** Leads to the confirmations before and after this one in the list that the reader came from, also by a swipe. */
export function Neighbours({ of: confirmationId }: { of: string }) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const navigate = useNavigate()
  const search = useSearch({ from: PAGE })
  const { data } = useQuery({
    ...pageQueries.neighbours(workspaceId, confirmationId, search),
    placeholderData: keepPreviousData,
  })
  const open = (id: string | null | undefined) =>
    id ? () => void navigate({ to: PAGE, params: { workspaceId, confirmationId: id }, search }) : undefined
  useSwipe({ forward: open(data?.olderId), back: open(data?.newerId) })
  return (
    <Group gap={4} wrap="nowrap">
      <Arrow label={t('page_confirmations.newer')} to={data?.newerId} icon={ChevronLeftIcon} />
      <Arrow label={t('page_confirmations.older')} to={data?.olderId} icon={ChevronRightIcon} />
    </Group>
  )
}

type ArrowProps = { label: string; to: string | null | undefined; icon: typeof ChevronLeftIcon }

function Arrow({ label, to, icon: Icon }: ArrowProps) {
  const icon = <Icon className="mirrored" aria-hidden="true" />
  const shared = { variant: 'default', size: 28, 'aria-label': label, title: label } as const
  if (!to)
    return (
      <ActionIcon {...shared} disabled>
        {icon}
      </ActionIcon>
    )
  return (
    <ActionIcon {...shared} renderRoot={linkTo({ to: PAGE, params: { confirmationId: to }, search: true })}>
      {icon}
    </ActionIcon>
  )
}
