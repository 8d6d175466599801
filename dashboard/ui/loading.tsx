import { Box, Group, SimpleGrid, Skeleton, Stack } from '@mantine/core'

const ROWS = 10
const ROW_HEIGHT = 40
const FIELDS = 5
const CARDS = 4
const FACTS = 8

const LAYOUTS = {
  list: () => (
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
  ),
  detail: () => (
    <SimpleGrid cols={{ base: 1, md: 2 }}>
      <Stack gap="sm">
        {rowsOf(FACTS).map((row) => (
          <Skeleton key={row} h={14} w={row % 2 === 0 ? '70%' : '55%'} />
        ))}
      </Stack>
      <Skeleton h={220} />
    </SimpleGrid>
  ),
  cards: () => (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      {rowsOf(CARDS).map((row) => (
        <Skeleton key={row} h={180} />
      ))}
    </SimpleGrid>
  ),
  form: () => (
    <Stack gap="lg" maw={480}>
      {rowsOf(FIELDS).map((row) => (
        <Stack key={row} gap={6}>
          <Skeleton h={12} w={120} />
          <Skeleton h={34} />
        </Stack>
      ))}
    </Stack>
  ),
}

const rowsOf = (count: number): number[] => Array.from({ length: count }, (_, index) => index)

/** The layout that the content will have: nothing jumps when it comes. */
export function Loading({ as = 'list' }: { as?: keyof typeof LAYOUTS }) {
  return (
    <Box aria-busy="true" mih={240}>
      {LAYOUTS[as]()}
    </Box>
  )
}

/** A whole page, with its title. */
export const LoadingPage = () => (
  <Stack gap="lg" maw={1200} mx="auto" aria-busy="true">
    <Skeleton h={29} w={220} />
    <Loading />
  </Stack>
)
