import { Popover } from '@mantine/core'
import { DatePicker } from '@mantine/dates'
import { useDisclosure } from '@mantine/hooks'
import { cloneElement, isValidElement, useState } from 'react'
import { useTexts } from '../../texts/use-texts.ts'
import { Calendar } from '../time/calendar.tsx'
import { DAY } from '../time/parts.ts'
import { Chip } from './chip.tsx'
import { dateFormat } from '../formats.ts'

type Days = { from: string | undefined; to: string | undefined }

/** Days of the delivery zone, such as `2026-11-22`. Weeks start on the first day of the reader's week. */
export function RangeChip({ from, to, onChange }: Days & { onChange: (days: { from: string; to: string }) => void }) {
  const { t } = useTexts()
  const [opened, { toggle, close }] = useDisclosure()
  const [half, setHalf] = useState<string | null>(null)
  const choose = ([first, last]: [string | null, string | null]): void => {
    setHalf(first)
    if (first === null || last === null) return
    setHalf(null)
    close()
    onChange({ from: first, to: last })
  }
  const end = (): void => onChange({ from: '', to: '' })
  return (
    <Chip label={t('page_shell.dates')} value={useRangeText({ from, to })} onRemove={end}>
      {(target) => (
        <Popover opened={opened} onChange={(open) => !open && close()} position="bottom-start" trapFocus returnFocus>
          <Popover.Target>
            {isValidElement<{ onClick?: () => void }>(target) ? cloneElement(target, { onClick: toggle }) : target}
          </Popover.Target>
          <Popover.Dropdown>
            <Calendar>
              {(calendar) => (
                <DatePicker
                  {...calendar}
                  type="range"
                  allowSingleDateInRange
                  value={half === null ? [from ?? null, to ?? null] : [half, null]}
                  onChange={choose}
                />
              )}
            </Calendar>
          </Popover.Dropdown>
        </Popover>
      )}
    </Chip>
  )
}

function useRangeText({ from, to }: Days): string | undefined {
  const { t, language } = useTexts()
  const format = dateFormat(language, { timeZone: 'UTC', ...DAY })
  const dateOf = (day: string): Date => new Date(`${day}T00:00:00Z`)
  if (from && to) return format.formatRange(dateOf(from), dateOf(to))
  if (from) return t('page_shell.dates_from', { day: format.format(dateOf(from)) })
  if (to) return t('page_shell.dates_to', { day: format.format(dateOf(to)) })
  return undefined
}
