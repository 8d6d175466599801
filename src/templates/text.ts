import type { TemplateComponent } from '../providers/provider.ts'

/** What of a template people read, one part a line, in the order of the phone. */
export function textOf(components: readonly TemplateComponent[]): string {
  const find = (wanted: string): TemplateComponent | undefined => components.find(({ type }) => type === wanted)
  const header = find('HEADER')
  const parts = [
    header?.text ?? (header ? `[${header.format ?? 'HEADER'}]` : undefined),
    find('BODY')?.text,
    find('FOOTER')?.text,
    ...(find('BUTTONS')?.buttons ?? []).map(({ type, text }) => `[${text ?? type}]`),
  ]
  return parts.filter((part) => part !== undefined).join('\n')
}
