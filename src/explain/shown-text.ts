import type { OutgoingContent, ParameterValue, TemplateComponent } from '../providers/provider.ts'
import { type Language, sentences } from '../sentences.ts'

/** What the customer's screen shows of a message, part by part. */
export type ShownParts = {
  header: string | null
  body: string
  footer: string | null
  /** Labels, in their order. Of a list the one that opens it. */
  buttons: string[]
  /** Of a list. */
  rows: string[]
}

/** A template is shown as it reads now; `components` is null when it is gone. `language`: of what stands for its text. */
export function shownParts(
  content: OutgoingContent,
  components: readonly TemplateComponent[] | null,
  language: Language,
): ShownParts {
  switch (content.type) {
    case 'text':
      return { ...NOTHING_ELSE, body: content.body }
    case 'buttons':
      return { ...NOTHING_ELSE, body: content.body, buttons: content.buttons.map(({ title }) => title) }
    case 'list':
      return {
        ...NOTHING_ELSE,
        body: content.body,
        buttons: [content.button],
        rows: content.rows.map(({ title }) => title),
      }
    case 'template': {
      const of = (type: string): TemplateComponent | undefined => components?.find((each) => each.type === type)
      return {
        ...NOTHING_ELSE,
        header: filled(of('HEADER')?.text, content.header ? [content.header] : []) ?? null,
        body: filled(of('BODY')?.text, content.body) ?? standsFor.template({ name: content.name })[language],
        footer: of('FOOTER')?.text ?? null,
        buttons: (of('BUTTONS')?.buttons ?? []).map(({ text = '' }) => text),
      }
    }
    case 'otp':
      return { ...NOTHING_ELSE, body: standsFor.code[language] }
  }
}

const standsFor = sentences({
  template: { en: '(the template {name})', ar: '(القالب {name})' },
  code: { en: '(a one-time code)', ar: '(رمز لمرة واحدة)' },
})

const NOTHING_ELSE: Omit<ShownParts, 'body'> = { header: null, footer: null, buttons: [], rows: [] }

/** The same on one line, with what can be tapped or chosen on it. */
export type Shown = { text: string; choices: string[] }

export function shownText(...shown: Parameters<typeof shownParts>): Shown {
  const { header, body, footer, buttons, rows } = shownParts(...shown)
  return {
    text: onOneLine([header, body, footer].filter(Boolean).join('\n')),
    choices: rows.length > 0 ? rows : buttons,
  }
}

const filled = (text: string | undefined, values: readonly ParameterValue[]): string | undefined =>
  text?.replaceAll(/\{\{(\w+)\}\}/g, (hole, name: string) => valueOf(name, values) ?? hole)

const valueOf = (name: string, values: readonly ParameterValue[]): string | undefined =>
  values.find((value, index) => (value.name ?? String(index + 1)) === name)?.text

export const onOneLine = (text: string): string => text.replaceAll(/\s*\n\s*/g, ' ⏎ ')
