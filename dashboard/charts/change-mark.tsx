import { Text, type TextProps, VisuallyHidden } from '@mantine/core'
import type { ComponentPropsWithRef } from 'react'
import { useTexts } from '../texts/use-texts.ts'
import { numberFormat } from '../ui/formats.ts'
import type { Change } from './change.ts'

/** `▲ 12 %` or `▼ 1.2 pts`, without a colour, because more can be good or bad. */
export function ChangeMark({
  change: { kind, by },
  ...props
}: { change: Change } & TextProps & ComponentPropsWithRef<'bdi'>) {
  const { t, language } = useTexts()
  const format = numberFormat(
    language,
    kind === 'percent' ? { style: 'percent', maximumFractionDigits: 0 } : { maximumFractionDigits: 1 },
  )
  const number = format.format(Math.abs(by))
  const amount = kind === 'percent' ? number : t('page_charts.points', { number })
  if (number === format.format(0))
    return (
      <Text component="bdi" size="sm" fw={600} {...props}>
        {amount}
      </Text>
    )
  return (
    <Text component="bdi" size="sm" fw={600} style={{ whiteSpace: 'nowrap' }} {...props}>
      <span aria-hidden="true">{by > 0 ? '▲' : '▼'}</span>
      <VisuallyHidden component="span">{t(by > 0 ? 'page_charts.up' : 'page_charts.down')}</VisuallyHidden> {amount}
    </Text>
  )
}
