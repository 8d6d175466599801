import type { RouterOutputs } from '../api.ts'

export type TemplateData = RouterOutputs['templates']['get']
export type TemplateInfo = NonNullable<TemplateData['template']>
