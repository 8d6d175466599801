import { Button, Group, Modal, NumberInput, Paper, Progress, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Answers, api, queries } from '../api.ts'
import { Failed } from '../ui/failed.tsx'
import { useFaults } from '../ui/faults.ts'
import { numberFormat } from '../ui/number.ts'
import { useMay, useWorkspace } from '../ui/workspace.ts'
import { useLanguage, useWords } from '../words.ts'
import { workspaceWords } from './words.ts'

type Usage = Answers['workspaces']['usage']
type Kind = Usage['kinds'][number]

export function Allowances() {
  const text = useWords(workspaceWords)
  const { workspaceId } = useWorkspace()
  const { language } = useLanguage()
  const may = useMay()
  const { data } = useSuspenseQuery(api.workspaces.usage.queryOptions({ workspaceId }))
  const [changing, setChanging] = useState<Kind | null>(null)
  const month = new Intl.DateTimeFormat(`${language}-u-nu-latn`, { timeZone: 'UTC', month: 'long', year: 'numeric' })
  return (
    <Stack component="section" aria-labelledby="allowances">
      <div>
        <Title order={2} size="h4" id="allowances">
          {text.allowances}
        </Title>
        <Text size="sm" c="dimmed" maw={720}>
          {text.allowancesAbout}
        </Text>
        <Text size="sm">
          {text.monthOf}: <strong>{month.format(new Date(data.month))}</strong> (UTC)
        </Text>
      </div>
      <SimpleGrid cols={{ base: 1, md: 3 }}>
        {data.kinds.map((kind) => (
          <AllowanceCard key={kind.kind} of={kind} onChange={may.own ? () => setChanging(kind) : undefined} />
        ))}
      </SimpleGrid>
      {!may.own && (
        <Text size="sm" c="dimmed">
          {text.ownersOnly}
        </Text>
      )}
      <Modal
        opened={changing !== null}
        onClose={() => setChanging(null)}
        title={changing && text.changeTitle(text.kinds[changing.kind])}
      >
        {changing && <ChangeAllowance of={changing} most={data.unitsMost} onDone={() => setChanging(null)} />}
      </Modal>
    </Stack>
  )
}

function AllowanceCard({ of, onChange }: { of: Kind; onChange: (() => void) | undefined }) {
  const text = useWords(workspaceWords)
  const { language } = useLanguage()
  const n = numberFormat(language)
  const { kind, used, monthlyUnits } = of
  const share = monthlyUnits === 0 ? 100 : Math.min(100, (used / monthlyUnits) * 100)
  const title = text.kinds[kind]
  return (
    <Paper withBorder p="lg">
      <Stack gap="xs" h="100%">
        <Group justify="space-between" wrap="nowrap">
          <Title order={3} size="h5">
            {title}
          </Title>
          {onChange && (
            <Button size="compact-sm" variant="default" onClick={onChange} aria-label={`${text.change}: ${title}`}>
              {text.change}
            </Button>
          )}
        </Group>
        <Text size="sm">{text.usedOf(n.format(used), n.format(monthlyUnits))}</Text>
        <Progress.Root size="lg">
          <Progress.Section value={share} color={colourOf(of)} aria-label={title} />
        </Progress.Root>
        <Text size="sm" fw={600}>
          {text.left(n.format(Math.max(0, monthlyUnits - used)))}
        </Text>
        <Forecast of={of} />
      </Stack>
    </Paper>
  )
}

const colourOf = ({ forecast }: Kind): string =>
  forecast.will === 'is_out' ? 'red' : forecast.will === 'runs_out' ? 'orange' : 'door'

/** In words, because a colour alone says nothing. */
export function Forecast({ of: { forecast, monthlyUnits } }: { of: Kind }) {
  const text = useWords(workspaceWords)
  const { language } = useLanguage()
  if (monthlyUnits === 0) return <Text size="sm">{text.closed}</Text>
  if (forecast.will !== 'runs_out') return <Text size="sm">{text.forecasts[forecast.will]}</Text>
  return (
    <Text size="sm">
      {text.runsOut} <strong>{dayInUtc(language, forecast.at)}</strong> (UTC).
    </Text>
  )
}

/** A month of allowances is one of UTC, and so are its days. */
export const dayInUtc = (language: string, at: string): string =>
  new Intl.DateTimeFormat(`${language}-u-nu-latn`, {
    timeZone: 'UTC',
    weekday: 'long',
    day: 'numeric',
    month: 'long',
  }).format(new Date(at))

function ChangeAllowance({ of, most, onDone }: { of: Kind; most: number; onDone: () => void }) {
  const text = useWords(workspaceWords)
  const { workspaceId } = useWorkspace()
  const faultsIn = useFaults({ monthlyUnits: text.units })
  const [units, setUnits] = useState<number | string>(of.monthlyUnits)
  const change = useMutation(
    api.workspaces.setAllowance.mutationOptions({
      async onSuccess() {
        await queries.invalidateQueries({ queryKey: api.workspaces.usage.queryKey({ workspaceId }) })
        notifications.show({ message: text.saved })
        onDone()
      },
    }),
  )
  const fault = faultsIn(change.error)['monthlyUnits']
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (typeof units === 'number') change.mutate({ workspaceId, kind: of.kind, monthlyUnits: units })
      }}
    >
      <Stack>
        <NumberInput
          label={text.units}
          description={text.unitsHint}
          value={units}
          onChange={setUnits}
          min={0}
          max={most}
          allowDecimal={false}
          allowNegative={false}
          thousandSeparator=","
          dir="ltr"
          data-autofocus
          error={fault}
        />
        {typeof units === 'number' && units < of.used && <Text size="sm">{text.belowUsed}</Text>}
        {change.error && fault === undefined && <Failed error={change.error} />}
        <Button type="submit" loading={change.isPending} disabled={typeof units !== 'number'}>
          {text.save}
        </Button>
      </Stack>
    </form>
  )
}
