import { Button, Group, Modal, NumberInput, Paper, Progress, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type RouterOutputs, api, queryClient } from '../api.ts'
import { pageQueries } from '../queries.ts'
import { dateFormat, dayInUtc, numberFormat } from '../texts/formats.ts'
import { useTexts } from '../texts/use-texts.ts'
import { useFaults } from '../ui/form/faults.ts'
import { FormErrors } from '../ui/form/form-errors.tsx'
import { STATE_COLOURS, cssColour } from '../ui/state/status.ts'
import { usePermissions, useWorkspace } from '../ui/workspace.ts'

type Usage = RouterOutputs['workspaces']['usage']
type Kind = Usage['kinds'][number]

export function Quotas() {
  const { t, language } = useTexts()
  const { workspaceId } = useWorkspace()
  const may = usePermissions()
  const { data } = useSuspenseQuery(pageQueries.usage({ workspaceId }))
  const [changing, setChanging] = useState<Kind | null>(null)
  const month = dateFormat(language, { timeZone: 'UTC', month: 'long', year: 'numeric' })
  return (
    <Stack component="section" aria-labelledby="quotas">
      <div>
        <Title order={2} size="h4" id="quotas">
          {t('page_workspaces.quotas')}
        </Title>
        <Text size="sm" c="dimmed" maw={720}>
          {t('page_workspaces.quotas_about')}
        </Text>
        <Text size="sm">
          {t('page_workspaces.month_of')}
          {t('page_shell.colon')}
          <strong>{month.format(new Date(data.month))}</strong> (UTC)
        </Text>
      </div>
      <SimpleGrid cols={{ base: 1, md: 3 }}>
        {data.kinds.map((kind) => (
          <QuotaCard key={kind.kind} of={kind} onChange={may.own ? () => setChanging(kind) : undefined} />
        ))}
      </SimpleGrid>
      {!may.own && (
        <Text size="sm" c="dimmed">
          {t('page_workspaces.owners_only')}
        </Text>
      )}
      <Modal
        opened={changing !== null}
        onClose={() => setChanging(null)}
        title={changing && t('page_workspaces.change_title', { kind: t(`page_workspaces.kinds_${changing.kind}`) })}
      >
        {changing && <ChangeQuota of={changing} max={data.maxUnits} onDone={() => setChanging(null)} />}
      </Modal>
    </Stack>
  )
}

function QuotaCard({ of, onChange }: { of: Kind; onChange: (() => void) | undefined }) {
  const { t, n } = useTexts()
  const { kind, used, monthlyUnits } = of
  const share = monthlyUnits === 0 ? 100 : Math.min(100, (used / monthlyUnits) * 100)
  const title = t(`page_workspaces.kinds_${kind}`)
  return (
    <Paper withBorder p="lg">
      <Stack gap="xs" h="100%">
        <Group justify="space-between" wrap="nowrap">
          <Title order={3} size="h5">
            {title}
          </Title>
          {onChange && (
            <Button
              size="compact-sm"
              variant="default"
              style={{ flexShrink: 0 }}
              onClick={onChange}
              aria-label={`${t('page_workspaces.change')}${t('page_shell.colon')}${title}`}
            >
              {t('page_workspaces.change')}
            </Button>
          )}
        </Group>
        <Text size="sm">{t('page_workspaces.used_of', { used: n(used), units: n(monthlyUnits) })}</Text>
        <Progress.Root size="lg">
          <Progress.Section value={share} color={cssColour(STATE_COLOURS.quota[of.forecast.will])} aria-label={title} />
        </Progress.Root>
        <Text size="sm" fw={600}>
          {t('page_workspaces.left', { left: n(Math.max(0, monthlyUnits - used)) })}
        </Text>
        <Forecast of={of} />
      </Stack>
    </Paper>
  )
}

/** The forecast is a text, because a colour is not enough. */
function Forecast({ of: { forecast, monthlyUnits } }: { of: Kind }) {
  const { t, language } = useTexts()
  if (monthlyUnits === 0) return <Text size="sm">{t('page_workspaces.closed')}</Text>
  if (forecast.will !== 'runs_out') return <Text size="sm">{t(`page_workspaces.forecasts_${forecast.will}`)}</Text>
  return (
    <Text size="sm">
      {t('page_workspaces.runs_out')} <strong>{dayInUtc(language, forecast.at)}</strong> (UTC).
    </Text>
  )
}

const groupSeparatorIn = (language: string): string =>
  numberFormat(language)
    .formatToParts(1_000)
    .find(({ type }) => type === 'group')?.value ?? ''

function ChangeQuota({ of, max, onDone }: { of: Kind; max: number; onDone: () => void }) {
  const { t, language } = useTexts()
  const { workspaceId } = useWorkspace()
  const labels = { monthlyUnits: t('page_workspaces.units') }
  const faultsIn = useFaults(labels)
  const [units, setUnits] = useState<number | string>(of.monthlyUnits)
  const change = useMutation(
    api.workspaces.setQuota.mutationOptions({
      async onSuccess() {
        await queryClient.invalidateQueries({ queryKey: api.workspaces.usage.queryKey({ workspaceId }) })
        notifications.show({ message: t('page_workspaces.saved') })
        onDone()
      },
    }),
  )
  const errors = faultsIn(change.error)
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (typeof units === 'number') change.mutate({ workspaceId, kind: of.kind, monthlyUnits: units })
      }}
    >
      <Stack>
        <FormErrors errors={errors} labels={labels} failed={change.error} />
        <NumberInput
          data-path="monthlyUnits"
          label={t('page_workspaces.units')}
          description={t('page_workspaces.units_hint')}
          value={units}
          onChange={setUnits}
          min={0}
          max={max}
          allowDecimal={false}
          allowNegative={false}
          thousandSeparator={groupSeparatorIn(language)}
          dir="ltr"
          data-autofocus
          error={errors['monthlyUnits']}
        />
        {typeof units === 'number' && units < of.used && <Text size="sm">{t('page_workspaces.below_used')}</Text>}
        <Button type="submit" loading={change.isPending} disabled={typeof units !== 'number'}>
          {t('page_workspaces.save')}
        </Button>
      </Stack>
    </form>
  )
}
