import { Stack } from '@mantine/core'
import { useTexts } from '../texts/use-texts.ts'
import { Bars, Figure, type Headline, Legend, type Of, headlineOf } from './figure.tsx'
import { shareText } from './numbers.ts'
import type { Charts } from './outcomes.ts'
import { Plot } from './plot.tsx'

type Conversion = Pick<Charts['verifications'], 'started' | 'delivered' | 'approved'>

type ChartName = 'verifications' | 'verifications_by_template' | 'verifications_by_country' | 'verifications_by_hour'

/** How many verifications were approved: in total, by template, by country and by the hour of the day. */
export function Verifications(props: Of) {
  const { t } = useTexts()
  const { started, delivered, approved } = props.of.verifications
  if (started === 0) return null
  const rows = [
    { label: t('page_charts.verifications'), count: started },
    { label: t('page_charts.code_delivered'), count: delivered },
    { label: t('page_charts.approved'), count: approved },
  ]
  return (
    <ConversionFigure
      {...props}
      name="verifications"
      headline={headlineOf(
        props.of,
        ({ verifications: { approved, started } }) => ({ part: approved, whole: started }),
        t('page_charts.verifications_approved'),
      )}
      column={t('page_charts.all')}
      rows={[{ label: t('page_charts.all'), started, delivered, approved }]}
    >
      <Bars bars={rows} whole={started} />
    </ConversionFigure>
  )
}

export function VerificationsByTemplate(props: Of) {
  const { t } = useTexts()
  const rows = props.of.verifications.byTemplate.map(({ template, language, ...row }) => ({
    label: `${template} (${language})`,
    ...row,
  }))
  return <ConversionBars {...props} name="verifications_by_template" column={t('page_charts.template')} rows={rows} />
}

export function VerificationsByCountry(props: Of) {
  const { t, language } = useTexts()
  const names = new Intl.DisplayNames([language], { type: 'region' })
  const rows = props.of.verifications.byCountry.map(({ country, ...row }) => ({
    label: country === null ? t('page_charts.no_country') : (names.of(country) ?? country),
    ...row,
  }))
  return <ConversionBars {...props} name="verifications_by_country" column={t('page_charts.country')} rows={rows} />
}

export function VerificationsByHour(props: Of) {
  const { t } = useTexts()
  const { started, approved, byHour } = props.of.verifications
  if (started === 0) return null
  const rows = byHour.map(({ hour, ...row }) => ({ label: `${String(hour).padStart(2, '0')}:00`, ...row }))
  const series = [
    { name: 'right', label: t('page_charts.approved'), colour: 'first', count: approved },
    { name: 'others', label: t('page_charts.not_approved'), colour: 'neutral', count: started - approved },
  ] as const
  return (
    <ConversionFigure
      {...props}
      name="verifications_by_hour"
      column={t('page_charts.hour')}
      rows={rows.filter((row) => row.started > 0)}
    >
      <Stack gap="xs">
        <Plot
          data={rows.map(({ label, started, approved }) => ({ label, right: approved, others: started - approved }))}
          series={series}
        />
        <Legend items={series} />
      </Stack>
    </ConversionFigure>
  )
}

type Rows = Of & {
  name: ChartName
  column: string
  rows: readonly (Conversion & { label: string })[]
  headline?: Headline
}

function ConversionBars({ rows, ...props }: Rows) {
  const { t, language } = useTexts()
  const { started: whole } = props.of.verifications
  if (whole === 0) return null
  const bars = rows.map(({ label, started, delivered, approved }) => ({
    label,
    count: approved,
    of: started,
    note: `${t('page_charts.code_delivered')}${t('page_shell.colon')}${shareText(delivered, started, language)}`,
  }))
  return (
    <ConversionFigure {...props} rows={rows}>
      <Bars bars={bars} whole={whole} />
    </ConversionFigure>
  )
}

function ConversionFigure({ column, rows, children, ...props }: Rows & { children: React.ReactNode }) {
  const { t, language } = useTexts()
  return (
    <Figure
      {...props}
      table={{
        columns: [
          column,
          t('page_charts.verifications'),
          t('page_charts.code_delivered'),
          t('page_charts.approved'),
          t('page_charts.share'),
        ],
        rows: rows.map(({ label, started, delivered, approved }) => [
          label,
          started,
          delivered,
          approved,
          shareText(approved, started, language),
        ]),
      }}
      exportAs="verifications"
    >
      {children}
    </Figure>
  )
}
