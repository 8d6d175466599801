import { Alert, Button, Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTexts } from '../../texts/use-texts.ts'
import { Time } from '../time.tsx'

export type LinkOf = (props: object) => ReactNode

/** Paging, and how far back a page that is not full has searched. */
export function ListPages({
  searchedBackTo,
  newest,
  older,
}: {
  searchedBackTo: string | null
  newest: LinkOf | undefined
  older: LinkOf | undefined
}) {
  const { t } = useTexts()
  return (
    <>
      {searchedBackTo !== null && (
        <Alert color="blue" role="status">
          <Text size="sm">
            {t('page_shell.searched_back')} <Time at={searchedBackTo} kind="workspace" />.{' '}
            {t('page_shell.searched_back_hint')}
          </Text>
        </Alert>
      )}
      {(newest ?? older) && (
        <Group component="nav" aria-label={t('page_shell.pages')} gap="sm">
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
