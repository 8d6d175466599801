import { Alert, Button, Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTexts } from '../../texts/use-texts.ts'
import { Time } from '../time.tsx'
import type { PagePosition } from './position.ts'

export type LinkOf = (props: object) => ReactNode

/** Paging, and how far back a page that is not full has searched. */
export function ListPages({
  searchedBackTo,
  newest,
  older,
  position,
}: {
  searchedBackTo: string | null
  newest: LinkOf | undefined
  older: LinkOf | undefined
  position?: PagePosition | undefined
}) {
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
