import { Alert, Button, Group, Text } from '@mantine/core'
import { DAY, dateFormat } from '../../texts/formats.ts'
import { useTexts } from '../../texts/use-texts.ts'
import type { LinkOf } from '../link.tsx'
import { Time } from '../time.tsx'
import { type Workspace, useWorkspace } from '../workspace.ts'
import type { PagePosition } from './list-search.ts'

type ListPagesProps = {
  searchedBackTo: string | null
  newest: LinkOf | undefined
  older: LinkOf | undefined
  position?: PagePosition | undefined
}

/** Paging, and how far back a page that is not full has searched. */
export function ListPages({ searchedBackTo, newest, older, position }: ListPagesProps) {
  const { t, n } = useTexts()
  return (
    <>
      {searchedBackTo !== null && (
        <Alert color="progress" role="status">
          <Text size="sm">
            {t('page_shell.searched_back')} <Time at={searchedBackTo} kind="workspace" />.{' '}
            {t('page_shell.searched_back_hint')}
          </Text>
        </Alert>
      )}
      {(newest ?? older ?? position) && (
        <Group component="nav" aria-label={t('page_shell.pages')} gap="sm" mih={36}>
          {position && (
            <Text size="sm" c="dimmed" style={{ fontVariantNumeric: 'tabular-nums' }} me="auto">
              {t(position.isMore ? 'page_shell.rows_more' : 'page_shell.rows', {
                from: n(position.from),
                to: n(position.to),
                total: n(position.total),
              })}
            </Text>
          )}
          {newest && (
            <Button variant="default" renderRoot={newest}>
              {t('page_shell.newest')}
            </Button>
          )}
          {older && (
            <Button variant="default" renderRoot={older}>
              {searchedBackTo === null ? t('page_shell.older') : t('page_shell.search_further')}
            </Button>
          )}
        </Group>
      )}
    </>
  )
}

/** Says at the end of a list since when its rows are kept. Shows nothing if the list is complete. */
export function KeptSince({ of }: { of: keyof Workspace['keptSince'] }) {
  const { t, language } = useTexts()
  const { keptSince, timeZone } = useWorkspace()
  const since = keptSince[of]
  if (since === null) return null
  const day = dateFormat(language, { timeZone, ...DAY }).format(new Date(since))
  return (
    <Text size="sm" c="dimmed">
      {t('page_list.kept_since', { day })}
    </Text>
  )
}

type NextPage = { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown }

/** Shown below a list that grows, while there is more. */
export const MoreButton = ({ of, children }: { of: NextPage; children: string }) =>
  of.hasNextPage && (
    <Button variant="default" w="fit-content" loading={of.isFetchingNextPage} onClick={() => void of.fetchNextPage()}>
      {children}
    </Button>
  )
