/** WhatsApp's way of formatting text: *bold* _italic_ ~strike~ ```mono``` `mono`, and what looks like a link. */
export type Piece =
  | { kind: 'text'; text: string }
  | { kind: 'bold' | 'italic' | 'strike'; pieces: readonly Piece[] }
  | { kind: 'mono'; text: string }
  | { kind: 'link'; text: string }

type Mark = { kind: 'bold' | 'italic' | 'strike' | 'mono'; mark: string }

/** The longest mark first: three backticks are not three single ones. */
const MARKS: readonly Mark[] = [
  { kind: 'mono', mark: '```' },
  { kind: 'mono', mark: '`' },
  { kind: 'bold', mark: '*' },
  { kind: 'italic', mark: '_' },
  { kind: 'strike', mark: '~' },
]
/** A template's body has 1,024 characters, a text 4,096; longer texts are shown without formatting. */
export const MAX_FORMATTED_CHARACTERS = 8_192

const LINK = /(?:https?:\/\/|www\.)[^\s<>"']+[^\s<>"'.,;:!?)\]،؛؟]/giu

export function parseFormatting(text: string): readonly Piece[] {
  if (text.length > MAX_FORMATTED_CHARACTERS) return [{ kind: 'text', text }]
  return piecesOf(text, new Set())
}

/** The words without their marks. */
export const stripFormatting = (text: string): string => parseFormatting(text).map(wordsOf).join('')

const wordsOf = (piece: Piece): string => ('pieces' in piece ? piece.pieces.map(wordsOf).join('') : piece.text)

/** Inside *bold* there is no other bold: `open` has the marks around the text. */
function piecesOf(text: string, open: ReadonlySet<string>): readonly Piece[] {
  const pieces: Piece[] = []
  // If one mark has no closing mark, no later mark of its kind has one. Remembering this keeps the parsing linear.
  const hopeless = new Set<string>()
  let plainFrom = 0
  let at = 0
  while (at < text.length) {
    const mark = MARKS.find(
      (each) => !open.has(each.mark) && !hopeless.has(each.mark) && text.startsWith(each.mark, at),
    )
    if (!mark || !opens(text, at, mark.mark)) {
      at += 1
      continue
    }
    const end = closing(text, at + mark.mark.length, mark)
    if (end === undefined) {
      hopeless.add(mark.mark)
      at += mark.mark.length
      continue
    }
    pieces.push(...linksOf(text.slice(plainFrom, at)))
    const inner = text.slice(at + mark.mark.length, end)
    if (mark.kind === 'mono') pieces.push({ kind: 'mono', text: inner })
    else pieces.push({ kind: mark.kind, pieces: piecesOf(inner, new Set([...open, mark.mark])) })
    at = end + mark.mark.length
    plainFrom = at
  }
  pieces.push(...linksOf(text.slice(plainFrom)))
  return pieces
}

/** A mark in the middle of a word (snake_case, 2*3) means nothing. */
function opens(text: string, at: number, mark: string): boolean {
  const before = text[at - 1]
  const after = text[at + mark.length]
  return !isWord(before) && after !== undefined && (mark === '```' || !/\s/u.test(after))
}

function closing(text: string, from: number, { kind, mark }: Mark): number | undefined {
  for (let at = text.indexOf(mark, from + 1); at !== -1; at = text.indexOf(mark, at + 1)) {
    const inner = text.slice(from, at)
    if (mark !== '```' && inner.includes('\n')) return undefined
    if (kind === 'mono' || (!/\s/u.test(text[at - 1] ?? '') && !isWord(text[at + mark.length]))) return at
  }
  return undefined
}

const isWord = (character: string | undefined): boolean => character !== undefined && /[\p{L}\p{N}]/u.test(character)

function linksOf(text: string): Piece[] {
  const pieces: Piece[] = []
  let from = 0
  for (const link of text.matchAll(LINK)) {
    if (link.index > from) pieces.push({ kind: 'text', text: text.slice(from, link.index) })
    pieces.push({ kind: 'link', text: link[0] })
    from = link.index + link[0].length
  }
  if (from < text.length) pieces.push({ kind: 'text', text: text.slice(from) })
  return pieces
}
