import { pointerLabel } from '../cod-settings/draft/labels.ts'
import type { PageTexts } from '../texts/use-texts.ts'
import { inSnakeCase } from './action.ts'
import { SKIPPED_DAYS } from './values.ts'

/** The name of a value. Values of the COD settings are named by their JSON pointers. */
export function labelOf(field: string, texts: PageTexts): string {
  const { t, has } = texts
  if (field === SKIPPED_DAYS) return t('page_audit_log.fields_delivery_days')
  if (field.startsWith('/')) return pointerLabel(field, texts)
  const code = `page_audit_log.fields_${inSnakeCase(field)}`
  return has(code) ? t(code) : field
}
