import type { OutgoingContent, ParameterValue, TemplateComponent } from '../providers/provider.ts'

/** What the customer's screen shows of a message, on one line, with what can be tapped or chosen on it. */
export type Shown = { text: string; choices: string[] }

/** A template is shown as it reads now; `components` is null when it is gone. */
export function shownText(content: OutgoingContent, components: readonly TemplateComponent[] | null): Shown {
  switch (content.type) {
    case 'text':
      return { text: onOneLine(content.body), choices: [] }
    case 'buttons':
      return { text: onOneLine(content.body), choices: content.buttons.map(({ title }) => title) }
    case 'list':
      return { text: onOneLine(content.body), choices: content.rows.map(({ title }) => title) }
    case 'template': {
      const of = (type: string): TemplateComponent | undefined => components?.find((each) => each.type === type)
      const texts = [
        filled(of('HEADER')?.text, content.header ? [content.header] : []),
        filled(of('BODY')?.text ?? `(the template ${content.name})`, content.body),
        of('FOOTER')?.text,
      ]
      return {
        text: onOneLine(texts.filter(Boolean).join('\n')),
        choices: (of('BUTTONS')?.buttons ?? []).map(({ text = '' }) => text),
      }
    }
    case 'otp':
      return { text: '(a one-time code)', choices: [] }
  }
}

const filled = (text: string | undefined, values: readonly ParameterValue[]): string | undefined =>
  text?.replaceAll(/\{\{(\w+)\}\}/g, (hole, name: string) => valueOf(name, values) ?? hole)

const valueOf = (name: string, values: readonly ParameterValue[]): string | undefined =>
  values.find((value, index) => (value.name ?? String(index + 1)) === name)?.text

export const onOneLine = (text: string): string => text.replaceAll(/\s*\n\s*/g, ' ⏎ ')
