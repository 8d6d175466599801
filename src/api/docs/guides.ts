import { readFile, readdir } from 'node:fs/promises'
import { Marked, type Token, type Tokens } from 'marked'
import { isApiErrorCode } from '../../lib/errors.ts'
import { type Html, html } from '../../lib/http/html.ts'
import { isFailureCode } from '../../providers/failure-codes.ts'

/** The folder of the documents, as a release contains it. */
const DOCS = new URL('../../../docs/', import.meta.url)

export const GUIDES_PATH = '/docs/guides'

/** Lists all others. Its page is `GUIDES_PATH`. */
export const INDEX = 'README'

/** A heading with the Markdown below it. `anchor`: empty for the title of the page. `lowerCase`: the text, for the search. */
export type Section = { anchor: string; heading: string; text: string; lowerCase: string }

/** `source`: its Markdown, with links to the pages of this instance. */
export type Guide = { name: string; title: string; source: string; sections: readonly Section[]; page: Html }

export type Guides = {
  /** Of all documents, with `INDEX`. */
  names: readonly string[]
  /** Returns undefined if no document has this name. */
  find: (name: string) => Promise<Guide | undefined>
}

/** Reads and renders each document at its first request. */
export async function createGuides(): Promise<Guides> {
  const files = await readdir(DOCS)
  const names = files.filter((file) => file.endsWith('.md')).map((file) => file.slice(0, -'.md'.length))
  const known: NameSet = new Set(names)
  const rendered = new Map<string, Guide>()
  const find = async (name: string): Promise<Guide | undefined> => {
    if (!known.has(name)) return undefined
    const guide = rendered.get(name) ?? renderGuide(name, await readFile(new URL(`${name}.md`, DOCS), 'utf8'), known)
    rendered.set(name, guide)
    return guide
  }
  return { names: names.sort(), find }
}

export const guidePath = (name: string): string => (name === INDEX ? GUIDES_PATH : `${GUIDES_PATH}/${name}`)

type NameSet = ReadonlySet<string>

function renderGuide(name: string, text: string, known: NameSet): Guide {
  const source = text.replaceAll(/^<!--.*?-->\n/gm, '')
  const tokens = new Marked().lexer(source)
  const sections = sectionsOf(tokens)
  const page: Html = { html: renderer(sections, known).parser(tokens) }
  return { name, title: sections[0]?.heading ?? name, source: withServedLinks(source, known), sections, page }
}

/** The documents contain no HTML. Whatever would be HTML is left out. */
function renderer(sections: readonly Section[], known: NameSet): Marked {
  let headings = 0
  return new Marked({
    renderer: {
      html: () => '',
      image: () => '',
      heading({ tokens, depth }) {
        const content = { html: this.parser.parseInline(tokens) }
        const { anchor = '' } = sections[headings++] ?? {}
        if (depth === 1) return html`<h1>${content}</h1>\n`.html
        if (depth === 2) return html`<h2 id="${anchor}">${content}</h2>\n`.html
        return html`<h3 id="${anchor}">${content}</h3>\n`.html
      },
      code: ({ text }) => html`<pre tabindex="0"><code>${text}</code></pre>\n`.html,
      codespan({ text }) {
        const code = html`<code>${text}</code>`
        return hasProblemPage(text) ? html`<a href="/problems/${text}">${code}</a>`.html : code.html
      },
      link({ href, text, tokens }) {
        const content = { html: this.parser.parseInline(tokens).replaceAll(/<\/?a\b[^>]*>/g, '') }
        const target = servedAt(href, known)
        if (target !== undefined) return html`<a href="${target}">${content}</a>`.html
        const file = fileOf(href)
        return html`${content}${file !== text.replaceAll('`', '') && html` (<code>${file}</code> in the repository)`}`
          .html
      },
      table({ header, rows }) {
        const contentOf = ({ tokens }: Tokens.TableCell): Html => ({ html: this.parser.parseInline(tokens) })
        return html`<div class="scroll"><table>
<thead><tr>${header.map((cell) => html`<th scope="col">${contentOf(cell)}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${contentOf(cell)}</td>`)}</tr>`)}</tbody>
</table></div>\n`.html
      },
    },
  })
}

function sectionsOf(tokens: readonly Token[]): Section[] {
  const sections: Section[] = []
  const times = new Map<string, number>()
  for (const token of tokens) {
    const last = sections.at(-1)
    if (token.type === 'heading') {
      const heading = (token as Tokens.Heading).text.replaceAll('`', '')
      sections.push({ anchor: last ? anchorOf(heading, times) : '', heading, text: '', lowerCase: '' })
    } else if (last) last.text += token.raw
  }
  return sections.map((section) => ({ ...section, lowerCase: section.text.toLowerCase() }))
}

/** As GitHub derives it from the heading, so that links work in both places. */
function anchorOf(heading: string, times: Map<string, number>): string {
  const anchor = heading
    .toLowerCase()
    .replaceAll(/[^\p{Letter}\p{Number}\- _]/gu, '')
    .replaceAll(' ', '-')
  const before = times.get(anchor) ?? 0
  times.set(anchor, before + 1)
  return before === 0 ? anchor : `${anchor}-${before}`
}

/** Returns undefined for a file of the repository that the instance does not serve. */
function servedAt(href: string, known: NameSet): string | undefined {
  if (href.startsWith('#') || href.startsWith('https://')) return href
  const [, name = '', anchor = ''] = /^([\w-]+)\.md(#.*)?$/.exec(href) ?? []
  return known.has(name) ? guidePath(name) + anchor : undefined
}

const fileOf = (href: string): string => new URL(href, 'file:///docs/').pathname.slice(1)

/** Codes without an underscore are ordinary words too. */
export const hasProblemPage = (code: string): boolean =>
  code.includes('_') && (isApiErrorCode(code) || isFailureCode(code))

const CODE_OR_LINK = /(^```[^]*?^```|`[^`\n]*`)|!?\[([^\]]*)\]\(([^)\s]+)\)/gm

const withServedLinks = (source: string, known: NameSet): string =>
  source.replaceAll(CODE_OR_LINK, (whole, code: string | undefined, label: string, href: string) => {
    if (code !== undefined) return whole
    if (whole.startsWith('!')) return label
    const target = servedAt(href, known)
    const file = fileOf(href)
    if (target === undefined)
      return file === label.replaceAll('`', '') ? label : `${label} (\`${file}\` in the repository)`
    const [path = '', anchor] = target.split('#')
    const markdown = path.startsWith('/') ? `${path}.md` : path
    return `[${label}](${markdown}${anchor === undefined ? '' : `#${anchor}`})`
  })
