import { NativeSelect, type NativeSelectProps } from '@mantine/core'
import { EVENT_TYPES } from './search.ts'
import { useTexts } from '../../texts/use-texts.ts'

/** One type of event, or any. */
export function TypeSelect(props: NativeSelectProps) {
  const { t } = useTexts()
  const any = { value: '', label: t('page_endpoints.any_type') }
  return (
    <NativeSelect
      label={t('page_endpoints.type')}
      data={[any, ...EVENT_TYPES.map((value) => ({ value, label: value }))]}
      {...props}
    />
  )
}
