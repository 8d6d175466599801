import { refuse } from './errors.ts'
import { META_LIMITS } from './limits.ts'
import { characters, findList, findText, isObject, requireObject, requireText } from './reading.ts'
import type { ShownButton, ShownMessage, ShownRow } from './messages.ts'
import type { Wire } from './reading.ts'

/** `{"type":"text"}` */
export function readText(given: unknown): ShownMessage {
  const text = requireObject(given, 'text')
  const preview = text['preview_url']
  if (preview !== undefined && typeof preview !== 'boolean') refuse(100, 'text.preview_url must be true or false')
  const body = limited(requireText(text['body'], 'text.body'), 'text.body', META_LIMITS.textBodyCharacters)
  return { header: undefined, body, footer: undefined, buttons: [], list: undefined }
}

/** `{"type":"interactive"}` with reply buttons or a list. */
export function readInteractive(given: unknown): ShownMessage {
  const interactive = requireObject(given, 'interactive')
  const type = requireText(interactive['type'], 'interactive.type')
  const action = requireObject(interactive['action'], 'interactive.action')
  if (type === 'button') {
    const texts = readTexts(interactive, META_LIMITS.interactiveButtonBodyCharacters, true)
    return { ...texts, buttons: readButtons(action), list: undefined }
  }
  if (type === 'list') {
    const texts = readTexts(interactive, META_LIMITS.interactiveListBodyCharacters, false)
    return { ...texts, buttons: [], list: readList(action) }
  }
  return refuse(131009, `interactive.type "${type}" is not known to the twin: it has button and list`)
}

function readTexts(interactive: Wire, bodyLimit: number, mediaHeader: boolean) {
  const body = requireObject(interactive['body'], 'interactive.body')
  const footer = interactive['footer']
  return {
    header: readHeader(interactive['header'], mediaHeader),
    body: limited(requireText(body['text'], 'interactive.body.text'), 'interactive.body.text', bodyLimit),
    footer: footer === undefined ? undefined : readFooter(requireObject(footer, 'interactive.footer')),
  }
}

function readHeader(given: unknown, mediaAllowed: boolean): string | undefined {
  if (given === undefined) return undefined
  const header = requireObject(given, 'interactive.header')
  const type = requireText(header['type'], 'interactive.header.type')
  if (type === 'text') {
    const text = requireText(header['text'], 'interactive.header.text')
    return limited(text, 'interactive.header.text', META_LIMITS.interactiveHeaderCharacters)
  }
  if (!mediaAllowed) refuse(131009, 'interactive.header.type of a list must be text')
  if (!['image', 'video', 'document'].includes(type)) refuse(131009, `interactive.header.type "${type}" is not known`)
  if (!isObject(header[type])) refuse(131008, `interactive.header.${type} is required`)
  return `[${type}]`
}

function readFooter(footer: Wire): string {
  const text = requireText(footer['text'], 'interactive.footer.text')
  return limited(text, 'interactive.footer.text', META_LIMITS.interactiveFooterCharacters)
}

function readButtons(action: Wire): ShownButton[] {
  const path = 'interactive.action.buttons'
  const buttons = findList(action['buttons'], path).map((item, index): ShownButton => {
    const button = requireObject(item, `${path}[${index}]`)
    if (button['type'] !== 'reply') refuse(131009, `${path}[${index}].type must be reply`)
    const reply = requireObject(button['reply'], `${path}[${index}].reply`)
    const id = requireText(reply['id'], `${path}[${index}].reply.id`)
    const title = requireText(reply['title'], `${path}[${index}].reply.title`)
    if (id !== id.trim()) refuse(131009, `${path}[${index}].reply.id may not begin or end with a space`)
    limited(id, `${path}[${index}].reply.id`, META_LIMITS.interactiveButtonIdCharacters)
    limited(title, `${path}[${index}].reply.title`, META_LIMITS.interactiveButtonTitleCharacters)
    return { index, type: 'REPLY', text: title, payload: id }
  })
  if (buttons.length === 0) refuse(131008, `${path} is required`)
  atMost(buttons.length, path, META_LIMITS.interactiveButtons)
  distinct(
    buttons.map((button) => button.payload ?? ''),
    `${path}: ids`,
  )
  distinct(
    buttons.map((button) => button.text),
    `${path}: titles`,
  )
  return buttons
}

function readList(action: Wire): { button: string; rows: ShownRow[] } {
  const label = requireText(action['button'], 'interactive.action.button')
  limited(label, 'interactive.action.button', META_LIMITS.interactiveListButtonCharacters)
  const sections = findList(action['sections'], 'interactive.action.sections')
  if (sections.length === 0) refuse(131008, 'interactive.action.sections is required')
  atMost(sections.length, 'interactive.action.sections', META_LIMITS.interactiveSections)
  const rows = sections.flatMap((section, at) => readSection(section, at, sections.length > 1))
  atMost(rows.length, 'interactive.action.sections: rows in all', META_LIMITS.interactiveRows)
  distinct(
    rows.map((row) => row.id),
    'interactive.action.sections: row ids',
  )
  return { button: label, rows }
}

function readSection(given: unknown, at: number, titleNeeded: boolean): ShownRow[] {
  const path = `interactive.action.sections[${at}]`
  const section = requireObject(given, path)
  const title = findText(section['title'], `${path}.title`) ?? ''
  if (titleNeeded && title === '') refuse(131008, `${path}.title is required when there are two sections or more`)
  limited(title, `${path}.title`, META_LIMITS.interactiveSectionTitleCharacters)
  const rows = findList(section['rows'], `${path}.rows`)
  if (rows.length === 0) refuse(131008, `${path}.rows is required`)
  return rows.map((item, rowAt) =>
    readRow(requireObject(item, `${path}.rows[${rowAt}]`), `${path}.rows[${rowAt}]`, title),
  )
}

function readRow(row: Wire, path: string, section: string): ShownRow {
  const id = limited(requireText(row['id'], `${path}.id`), `${path}.id`, META_LIMITS.interactiveRowIdCharacters)
  const title = limited(
    requireText(row['title'], `${path}.title`),
    `${path}.title`,
    META_LIMITS.interactiveRowTitleCharacters,
  )
  const description = findText(row['description'], `${path}.description`)
  limited(description ?? '', `${path}.description`, META_LIMITS.interactiveRowDescriptionCharacters)
  return { section, id, title, description }
}

function limited(text: string, path: string, limit: number): string {
  if (characters(text) > limit) refuse(131009, `${path} has at most ${limit} characters`)
  return text
}

function atMost(count: number, path: string, limit: number): void {
  if (count > limit) refuse(131009, `${path}: ${count} were given, at most ${limit} are allowed`)
}

function distinct(values: readonly string[], path: string): void {
  if (new Set(values).size < values.length) refuse(131009, `${path} must differ from each other`)
}
