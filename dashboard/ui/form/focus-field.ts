const CONTROLS = 'input, textarea, select, button'

/**
 * Focuses the field with this path, or the first control of a group. False: there is none. Fields carry their path as
 * @mantine/form writes it.
 */
export function focusField(path: string, within: ParentNode = document): boolean {
  const field = within.querySelector<HTMLElement>(`[data-path="${CSS.escape(path)}"]`)
  const control = field?.matches(CONTROLS) ? field : field?.querySelector<HTMLElement>(CONTROLS)
  control?.focus()
  return control !== undefined && control !== null && control === document.activeElement
}
