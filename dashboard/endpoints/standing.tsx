import { Flex, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Answers } from '../api.ts'
import { Time } from '../ui/time.tsx'
import { useWords } from '../words.ts'
import { StateBadge } from './state-badge.tsx'
import { stateOf } from './why.ts'
import { endpointWords } from './words.ts'

export type OneEndpoint = Answers['endpoints']['find']

/** Above this the server stops counting (src/webhooks/standing.ts). */
export const COUNTED_MOST = 10_000

export function Standing({ endpoint }: { endpoint: OneEndpoint }) {
  const text = useWords(endpointWords)
  const { standing, failingSince } = endpoint
  const count = (n: number | undefined): string => text.upTo(n ?? 0, COUNTED_MOST)
  return (
    <Flex component="dl" wrap="wrap" columnGap="xl" rowGap="sm" m={0}>
      <Figure name={text.state}>
        <StateBadge state={stateOf(endpoint)} />
      </Figure>
      <Figure name={text.lately}>
        {standing && standing.attempted > 0 ? text.latelyOf(standing.arrived, standing.attempted) : text.nothingYet}
      </Figure>
      <Figure name={text.lastSuccess}>
        {standing?.lastSuccessAt ? <Time at={standing.lastSuccessAt} /> : text.noSuccess}
      </Figure>
      <Figure name={text.failingSince}>{failingSince ? <Time at={failingSince} /> : '–'}</Figure>
      <Figure name={text.waiting}>{count(standing?.waiting)}</Figure>
      <Figure name={text.held}>{count(standing?.held)}</Figure>
      <Figure name={text.givenUp}>{count(standing?.failed)}</Figure>
    </Flex>
  )
}

function Figure({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <Text component="dt" size="sm" c="dimmed">
        {name}
      </Text>
      <Text component="dd" size="sm" m={0} fw={500}>
        {children}
      </Text>
    </div>
  )
}
