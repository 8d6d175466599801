import { readFile } from 'node:fs/promises'
import { type Html, html, prose } from '../../lib/http/html.ts'

/** The documents that errors and findings name. A test compares them. */
export const GUIDES = ['cod-settings', 'configuration', 'pgbouncer'] as const

type Guide = (typeof GUIDES)[number]

/** Reads and renders each guide at its first request. */
export function createGuides(): (name: Guide) => Promise<Html> {
  const rendered = new Map<Guide, Html>()
  return async (name) => {
    const guide = rendered.get(name) ?? (await renderGuide(name))
    rendered.set(name, guide)
    return guide
  }
}

/** The Markdown of docs/, as far as these documents use it. */
async function renderGuide(name: Guide): Promise<Html> {
  const text = await readFile(new URL(`../../../docs/${name}.md`, import.meta.url), 'utf8')
  const blocks = text.replaceAll(/<!--.*?-->\n?|\*\*/gs, '').matchAll(BLOCK)
  return html`${Array.from(blocks, ([block]) => blockOf(block.trimEnd()))}`
}

/** Code between fences, or lines up to an empty one. */
const BLOCK = /^```[^]*?^```$|(?:^(?!```).+\n?)+/gm

function blockOf(block: string): Html {
  if (block.startsWith('```')) return html`<pre><code>${block.split('\n').slice(1, -1).join('\n')}</code></pre>`
  const [first = '', ...rest] = block.split('\n')
  const heading = /^(#+) (.*)$/.exec(first)
  if (heading) {
    const title = inline(heading[2] ?? '')
    const rendered = heading[1] === '#' ? html`<h1>${title}</h1>` : html`<h2>${title}</h2>`
    return rest.length === 0 ? rendered : html`${rendered}${blockOf(rest.join('\n'))}`
  }
  if (first.startsWith('|')) return tableOf([first, ...rest])
  if (/^(- |\d+\. )/.test(first)) return listOf(block)
  return html`<p>${inline(block)}</p>`
}

function tableOf([head = '', , ...rows]: readonly string[]): Html {
  return html`<div class="scroll"><table>
<thead><tr>${cellsOf(head).map((cell) => html`<th scope="col">${inline(cell)}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${cellsOf(row).map((cell) => html`<td>${inline(cell)}</td>`)}</tr>`)}</tbody>
</table></div>`
}

/** `\\|` is a bar inside a cell. */
const cellsOf = (row: string): string[] =>
  row
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll('\\|', '|'))

function listOf(block: string): Html {
  const items = block.split(/^(?:- |\d+\. )/m).slice(1)
  const rendered = items.map((item) => html`<li>${inline(item.trim())}</li>`)
  return block.startsWith('-') ? html`<ul>${rendered}</ul>` : html`<ol>${rendered}</ol>`
}

const LINK = /\[([^\]]+)\]\(([^)\s]+)\)/

/** Links to other guides and websites; the text only of links to documents that the instance does not serve. */
function inline(text: string): Html[] {
  const link = LINK.exec(text)
  if (!link) return prose(text)
  const [whole, label = '', target = ''] = link
  const [before, rest] = [text.slice(0, link.index), text.slice(link.index + whole.length)]
  return [...prose(before), linkTo(target, label), ...inline(rest)]
}

function linkTo(target: string, label: string): Html {
  const guide = GUIDES.find((name) => target.split('#')[0] === `${name}.md`)
  const href = guide ? `/guides/${guide}` : target.startsWith('https://') ? target : undefined
  return href === undefined ? html`${prose(label)}` : html`<a href="${href}">${prose(label)}</a>`
}
