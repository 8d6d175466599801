import { reject } from '../errors.ts'
import { META_LIMITS } from '../limits.ts'
import type { ShownButton, ShownMessage, ShownRow } from '../wire/chats.ts'
import { type ObjectReader, isObject } from '../reading.ts'

/** `{"type":"text"}` */
export function readText(text: ObjectReader): ShownMessage {
  const preview = text.get('preview_url')
  if (preview !== undefined && typeof preview !== 'boolean') reject(100, 'text.preview_url must be true or false')
  const body = text.text('body', META_LIMITS.textBodyCharacters)
  return { body, buttons: [] }
}

/** `{"type":"interactive"}` with reply buttons or a list. */
export function readInteractive(interactive: ObjectReader): ShownMessage {
  const type = interactive.text('type')
  const action = interactive.object('action')
  if (type === 'button') {
    const texts = readTexts(interactive, META_LIMITS.interactiveButtonBodyCharacters, { allowsMedia: true })
    return { ...texts, buttons: readButtons(action) }
  }
  if (type === 'list') {
    const texts = readTexts(interactive, META_LIMITS.interactiveListBodyCharacters, { allowsMedia: false })
    return { ...texts, buttons: [], list: readList(action) }
  }
  return reject(131009, `interactive.type "${type}" is not supported by the emulator, only button and list`)
}

function readTexts(interactive: ObjectReader, maxBodyCharacters: number, { allowsMedia }: { allowsMedia: boolean }) {
  const body = interactive.object('body')
  const header = interactive.findObject('header')
  return {
    header: header && readHeader(header, allowsMedia),
    body: body.text('text', maxBodyCharacters),
    footer: interactive.findObject('footer')?.text('text', META_LIMITS.interactiveFooterCharacters),
  }
}

function readHeader(header: ObjectReader, allowsMedia: boolean): string {
  const type = header.text('type')
  if (type === 'text') return header.text('text', META_LIMITS.interactiveHeaderCharacters)
  if (!allowsMedia) reject(131009, 'interactive.header.type of a list must be text')
  if (!['image', 'video', 'document'].includes(type)) reject(131009, `interactive.header.type "${type}" is not known`)
  if (!isObject(header.get(type))) reject(131008, `interactive.header.${type} is required`)
  return `[${type}]`
}

function readButtons(action: ObjectReader): ShownButton[] {
  const path = 'interactive.action.buttons'
  const buttons = action.list('buttons').map((button, index) => {
    if (button.get('type') !== 'reply') reject(131009, `${button.path}.type must be reply`)
    const reply = button.object('reply')
    const payload = reply.text('id', META_LIMITS.interactiveButtonIdCharacters)
    const text = reply.text('title', META_LIMITS.interactiveButtonTitleCharacters)
    if (payload !== payload.trim()) reject(131009, `${reply.path}.id may not begin or end with a space`)
    return { index, type: 'REPLY', text, payload }
  })
  requireAtMost(buttons.length, path, META_LIMITS.interactiveButtons)
  requireDistinct(buttons, ({ payload }) => payload, `${path}: ids`)
  requireDistinct(buttons, ({ text }) => text, `${path}: titles`)
  return buttons
}

function readList(action: ObjectReader): { button: string; rows: ShownRow[] } {
  const path = 'interactive.action.sections'
  const button = action.text('button', META_LIMITS.interactiveListButtonCharacters)
  const sections = action.list('sections')
  requireAtMost(sections.length, path, META_LIMITS.interactiveSections)
  const rows = sections.flatMap((section) => readSection(section, { needsTitle: sections.length > 1 }))
  requireAtMost(rows.length, `${path}: rows in all`, META_LIMITS.interactiveRows)
  requireDistinct(rows, ({ id }) => id, `${path}: row ids`)
  return { button, rows }
}

function readSection(section: ObjectReader, { needsTitle }: { needsTitle: boolean }): ShownRow[] {
  const title = section.findText('title', META_LIMITS.interactiveSectionTitleCharacters) ?? ''
  if (needsTitle && title === '')
    reject(131008, `${section.path}.title is required when there are two sections or more`)
  return section.list('rows').map((row) => ({
    section: title,
    id: row.text('id', META_LIMITS.interactiveRowIdCharacters),
    title: row.text('title', META_LIMITS.interactiveRowTitleCharacters),
    description: row.findText('description', META_LIMITS.interactiveRowDescriptionCharacters),
  }))
}

function requireAtMost(count: number, path: string, max: number): void {
  if (count > max) reject(131009, `${path}: ${count} were given, at most ${max} are allowed`)
}

function requireDistinct<Item>(items: readonly Item[], valueOf: (item: Item) => unknown, path: string): void {
  if (new Set(items.map(valueOf)).size < items.length) reject(131009, `${path} must differ from each other`)
}
