import { asWritten, type CodedText } from '../../locales/text.ts'
import type { OtpFact } from './facts.ts'
import type { ParameterValue, StoredContent, TemplateComponent } from '../providers/provider.ts'

/** A message as the customer's screen shows it, part by part. */
export type DisplayedParts = {
  header: string | null
  /** A code where there is no text to show. */
  body: CodedText
  footer: string | null
  /** In display order. A list has only the button that opens it. */
  buttons: { label: string; kind: 'reply' | 'copy_code' | 'url' | 'list' }[]
  /** The rows of a list; otherwise empty. */
  rows: string[]
}

/** A template is shown as it reads now; `components` is null when it is gone. */
export function displayedParts(
  content: StoredContent,
  components: readonly TemplateComponent[] | null,
): DisplayedParts {
  switch (content.type) {
    case 'text':
      return { ...NOTHING_ELSE, body: asWritten(content.body) }
    case 'buttons':
      return {
        ...NOTHING_ELSE,
        body: asWritten(content.body),
        buttons: content.buttons.map(({ title: label }) => ({ label, kind: 'reply' })),
      }
    case 'list':
      return {
        ...NOTHING_ELSE,
        body: asWritten(content.body),
        buttons: [{ label: content.button, kind: 'list' }],
        rows: content.rows.map(({ title }) => title),
      }
    case 'template': {
      const of = (type: string): TemplateComponent | undefined => components?.find((each) => each.type === type)
      const text = filled(of('BODY')?.text, content.body)
      return {
        ...NOTHING_ELSE,
        header: filled(of('HEADER')?.text, content.header ? [content.header] : []) ?? null,
        body: text === undefined ? { code: 'explain.stands_for_template', name: content.name } : asWritten(text),
        footer: of('FOOTER')?.text ?? null,
        buttons: (of('BUTTONS')?.buttons ?? []).map(({ type, text: label = '' }) => ({
          label,
          kind: type === 'QUICK_REPLY' ? 'reply' : 'url',
        })),
      }
    }
    case 'removed':
      return { ...NOTHING_ELSE, body: { code: 'explain.stands_for_removed' } }
  }
}

const HIDDEN_CODE = '•••••'

/** A one-time code's message as the customer reads it, with the code hidden. */
export function displayedOtp({ templateName: name, templateLanguage: language, components }: OtpFact): DisplayedParts {
  const body = [{ name: null, text: HIDDEN_CODE }]
  const displayed = displayedParts({ type: 'template', name, language, header: null, body, payloads: [] }, components)
  return { ...displayed, buttons: displayed.buttons.map(({ label }) => ({ label, kind: 'copy_code' })) }
}

const NOTHING_ELSE: Omit<DisplayedParts, 'body'> = { header: null, footer: null, buttons: [], rows: [] }

/** The same on one line, with its buttons or choices. */
export function displayedText(...message: Parameters<typeof displayedParts>): { text: CodedText; choices: string[] } {
  const { header, body, footer, buttons, rows } = displayedParts(...message)
  return {
    text: body.code === 'text' ? asWritten(onOneLine([header, body.text, footer].filter(Boolean).join('\n'))) : body,
    choices: rows.length > 0 ? rows : buttons.map(({ label }) => label),
  }
}

const filled = (text: string | undefined, values: readonly ParameterValue[]): string | undefined =>
  text?.replaceAll(/\{\{(\w+)\}\}/g, (hole, name: string) => valueOf(name, values) ?? hole)

const valueOf = (name: string, values: readonly ParameterValue[]): string | undefined =>
  values.find((value, index) => (value.name ?? String(index + 1)) === name)?.text

/** A match begins where its spaces begin: a customer may write thousands of them, and each would be tried again. */
export const onOneLine = (text: string): string => text.replaceAll(/(?<!\s)\s*\n\s*/g, ' ⏎ ')
