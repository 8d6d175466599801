/** What a field needs of the form. */
export type FormPart = {
  /** The sentence to show at the field; undefined: none. */
  errorAt(at: string): string | undefined
}
