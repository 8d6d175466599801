import { Alert, Anchor, Box, Button, Group, Paper, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core'
import { useMatches } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { codeOf, reasonOf } from '../api.ts'
import { useTexts } from '../texts/use-texts.ts'

/** Shown in place of an empty list: what to do next. */
export function Empty({ children, action }: { children: ReactNode; action?: ReactNode }) {
  return (
    <Paper withBorder p="xl">
      <Stack align="center" gap="sm">
        <Text ta="center" maw={480} style={{ textWrap: 'balance' }}>
          {children}
        </Text>
        {action}
      </Stack>
    </Paper>
  )
}

/** The cause of an error, and what the user can do. */
export function Failed({ error, onAgain }: { error: unknown; onAgain?: () => void }) {
  const { t, textOf } = useTexts()
  const why = reasonOf(error)
  return (
    <Alert color="red" title={t('page_shell.failed_title')} role="alert">
      <Stack gap="xs">
        <Text size="sm">{why ? textOf(why) : t('page_shell.unreachable')}</Text>
        {codeOf(error) === 'UNAUTHORIZED' && (
          <Anchor size="sm" href="/dashboard/sign-in" target="_blank">
            {t('page_session.sign_in')}
          </Anchor>
        )}
        {onAgain && (
          <Button size="compact-sm" variant="default" w="fit-content" onClick={onAgain}>
            {t('page_shell.again')}
          </Button>
        )}
      </Stack>
    </Alert>
  )
}

const ROWS = 10
const ROW_HEIGHT = 40
const FIELDS = 5
const FACTS = 8
const STEPS = 6
/** Heights of a card with today's number, a chart by day and a list of bars. */
const TODAY_HEIGHT = 186
const CHART_HEIGHT = 420
const BARS_HEIGHT = 400

const rowsOf = (count: number): number[] => Array.from({ length: count }, (_, index) => index)

const pair = (height: number) => (
  <SimpleGrid cols={{ base: 1, md: 2 }}>
    <Skeleton h={height} />
    <Skeleton h={height} />
  </SimpleGrid>
)

const list = (
  <Stack gap={0}>
    {rowsOf(ROWS).map((row) => (
      <Group key={row} h={ROW_HEIGHT} gap="xl" wrap="nowrap">
        <Skeleton h={14} w="22%" />
        <Skeleton h={14} w="12%" />
        <Skeleton h={14} w="30%" />
        <Skeleton h={14} w="16%" />
      </Group>
    ))}
  </Stack>
)

const LAYOUTS = {
  list,
  /** The search and the filters, and below them the list. */
  filteredList: (
    <Stack gap="lg">
      <Group gap="xs">
        <Skeleton h={36} w={{ base: '100%', xs: 320 }} />
        <Skeleton h={30} w={96} />
        <Skeleton h={30} w={96} />
      </Group>
      {list}
    </Stack>
  ),
  detail: (
    <Stack gap="lg">
      <Skeleton h={72} />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <Stack gap="sm">
          {rowsOf(FACTS).map((row) => (
            <Skeleton key={row} h={20} w={row % 2 === 0 ? '70%' : '55%'} />
          ))}
        </Stack>
        <Skeleton h={280} />
      </SimpleGrid>
      <Stack gap="sm">
        {rowsOf(STEPS).map((row) => (
          <Skeleton key={row} h={20} w={row % 2 === 0 ? '45%' : '60%'} />
        ))}
      </Stack>
    </Stack>
  ),
  overview: (
    <Stack gap="lg">
      <Skeleton h={22} w={96} />
      {pair(TODAY_HEIGHT)}
      <Skeleton h={22} w={120} />
      {pair(CHART_HEIGHT)}
    </Stack>
  ),
  charts: (
    <Stack>
      <Skeleton h={CHART_HEIGHT} />
      {pair(BARS_HEIGHT)}
      <Skeleton h={CHART_HEIGHT} />
    </Stack>
  ),
  cards: (
    <Stack gap="lg">
      {pair(180)}
      {pair(180)}
    </Stack>
  ),
  form: (
    <Stack gap="lg" maw={480}>
      {rowsOf(FIELDS).map((row) => (
        <Stack key={row} gap={6}>
          <Skeleton h={12} w={120} />
          <Skeleton h={34} />
        </Stack>
      ))}
    </Stack>
  ),
  phone: (
    <Group align="stretch" wrap="nowrap" gap="lg">
      <Skeleton h={640} maw={720} flex={2} />
      <Skeleton h={640} flex={1} visibleFrom="md" />
    </Group>
  ),
}

type Layout = keyof typeof LAYOUTS

/** The layout that the content will have, so that nothing jumps when it arrives. */
export function Loading({ as = 'list' }: { as?: Layout }) {
  return (
    <Box aria-busy="true" mih={240}>
      {LAYOUTS[as]}
    </Box>
  )
}

/** Keys are the ends of pages' paths. Other pages are lists. */
const PAGE_LAYOUTS: Readonly<Record<string, Layout>> = {
  overview: 'overview',
  charts: 'charts',
  phone: 'phone',
  quickstart: 'phone',
  messages: 'filteredList',
  confirmations: 'filteredList',
  templates: 'filteredList',
  audit: 'filteredList',
  $messageId: 'detail',
  $confirmationId: 'detail',
  $endpointId: 'detail',
  system: 'detail',
  $language: 'detail',
  senders: 'cards',
  settings: 'cards',
  account: 'cards',
  'cod-settings': 'form',
  new: 'form',
}

/** The placeholder for a page, including its title. */
export function LoadingPage() {
  const layout = useMatches({ select: (matches) => PAGE_LAYOUTS[matches.at(-1)?.routeId.split('/').at(-1) ?? ''] })
  return (
    <Stack gap="lg" maw={1200} mx="auto" aria-busy="true">
      <Stack gap={4}>
        <Skeleton h={29} w={220} />
        <Skeleton h={21} w="min(100%, 480px)" />
      </Stack>
      <Loading as={layout ?? 'list'} />
    </Stack>
  )
}
