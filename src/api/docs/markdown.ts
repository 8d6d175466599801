import type { Html } from '../../lib/http/html.ts'

/** Pages that can be read as Markdown, at their path followed by `.md`. */
const PAGES = /^\/(?:docs|problems|problems\/\w+|docs\/guides(?:\/[a-z-]+)?)$/

/** The front page has no name of its own. */
export const markdownPathOf = (path: string): string => (path === '/' ? '/index.md' : `${path}.md`)

/** The Markdown of a page, as far as our pages use HTML: for programs that read, such as language models. */
export const markdownOf = ({ html }: Html): string =>
  html
    .replaceAll(/<pre><code>([^]*?)<\/code><\/pre>/g, '\n\n```\n$1\n```\n\n')
    .replaceAll(/<\/?code>/g, '`')
    .replaceAll(/<a href="([^"]*)">([^]*?)<\/a>/g, (_, target: string, label: string) => linkTo(target, label))
    .replaceAll(/<table>([^]*?)<\/table>/g, (_, rows: string) => `\n\n${tableOf(rows)}\n\n`)
    .replaceAll(/<h1[^>]*>/g, '\n\n# ')
    .replaceAll(/<h2[^>]*>/g, '\n\n## ')
    .replaceAll(/<ol>([^]*?)<\/ol>/g, (_, items: string) => items.replaceAll('<li>', '\n1. '))
    .replaceAll(/\n?<li>/g, '\n- ')
    .replaceAll('<dt>', '\n\n**')
    .replaceAll('</dt>', ':** ')
    .replaceAll(/<\/?[a-z][^>]*>/g, (tag) => (/^<(?:\/?(?:p|ul|div|dl)\b|\/h\d)/.test(tag) ? '\n\n' : ''))
    .replaceAll(/[ \t]+\n/g, '\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    // Outside code, "<" would begin HTML.
    .replaceAll(/(```[^]*?```|`[^`\n]*`)|&(?:amp|lt|gt|quot|#39);/g, (part, code?: string) =>
      code === undefined ? (part === '&lt;' ? '\\<' : unescaped(part)) : unescaped(code),
    )
    .trim()
    .concat('\n')

const unescaped = (text: string): string =>
  text.replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? '')

const ENTITIES: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" }

const linkTo = (target: string, label: string): string =>
  `[${label}](${PAGES.test(target) ? markdownPathOf(target) : target})`

function tableOf(html: string): string {
  const rows = Array.from(html.matchAll(/<tr>([^]*?)<\/tr>/g), ([, row = '']) =>
    Array.from(row.matchAll(/<t[hd][^>]*>([^]*?)<\/t[hd]>/g), ([, cell = '']) => cell.replaceAll('|', '\\|')),
  )
  return tableOfCells(rows)
}

/** The first row has the names of the columns. */
export function tableOfCells([head = [], ...rows]: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
