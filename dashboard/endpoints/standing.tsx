import { Flex } from '@mantine/core'
import type { Answers } from '../api.ts'
import { Fact } from '../ui/facts.tsx'
import { Time } from '../ui/time.tsx'
import { useWords } from '../words.ts'
import { StateBadge } from './state-badge.tsx'
import { stateOf } from './why.ts'
import { endpointWords } from './words.ts'

export type OneEndpoint = Answers['endpoints']['find']

export function Standing({ endpoint }: { endpoint: OneEndpoint }) {
  const text = useWords(endpointWords)
  const { standing, failingSince, countedMost } = endpoint
  const count = (n: number | undefined): string => text.upTo(n ?? 0, countedMost)
  return (
    <Flex component="dl" wrap="wrap" columnGap="xl" rowGap="sm" m={0}>
      <Fact title={text.state}>
        <StateBadge state={stateOf(endpoint)} />
      </Fact>
      <Fact title={text.lately}>
        {standing && standing.attempted > 0 ? text.latelyOf(standing.arrived, standing.attempted) : text.nothingYet}
      </Fact>
      <Fact title={text.lastSuccess}>
        {standing?.lastSuccessAt ? <Time at={standing.lastSuccessAt} /> : text.noSuccess}
      </Fact>
      <Fact title={text.failingSince}>{failingSince ? <Time at={failingSince} /> : '–'}</Fact>
      <Fact title={text.waiting}>{count(standing?.waiting)}</Fact>
      <Fact title={text.held}>{count(standing?.held)}</Fact>
      <Fact title={text.givenUp}>{count(standing?.failed)}</Fact>
    </Flex>
  )
}
