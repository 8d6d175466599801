import { createHash } from 'node:crypto'

/** Escaped HTML. */
export type Html = { readonly html: string }

type Piece = string | number | boolean | undefined | Html | readonly Html[]

/** Escapes every value that is not `Html`. */
export function html(literals: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  return { html: String.raw({ raw: literals }, ...pieces.map(asHtml)) }
}

function asHtml(piece: Piece): string {
  if (piece === undefined || typeof piece === 'boolean') return ''
  if (typeof piece === 'string' || typeof piece === 'number') return escape(String(piece))
  return 'html' in piece ? piece.html : piece.map((each) => each.html).join('')
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

const escape = (text: string): string => text.replaceAll(/[&<>"']/g, (letter) => ESCAPES[letter] ?? '')

/** Text in `backticks` becomes code. */
export const prose = (text: string): Html[] =>
  text.split('`').map((part, index) => (index % 2 === 0 ? html`${part}` : html`<code>${part}</code>`))

const STYLE = `
:root { color-scheme: light dark; --text: #000; --soft: #5c636a; --line: #dee2e6; --back: #fff; --link: #4048d6 }
@media (prefers-color-scheme: dark) {
  :root { --text: #d5d5d5; --soft: #a8a8a8; --line: #424242; --back: #242424; --link: #8d93ee }
}
* { box-sizing: border-box }
body { margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 54rem; background: var(--back); color: var(--text); font: .875rem/1.6 system-ui, "Segoe UI", Roboto, "Noto Sans Arabic", "Noto Sans", sans-serif; overflow-wrap: anywhere }
h1 { font-size: 1.375rem; line-height: 1.25; margin: 1.5rem 0 1rem }
h1 code { font-size: 1em }
h2 { font-size: 1rem; margin: 2.5rem 0 .75rem; padding-top: 1rem; border-top: 1px solid var(--line) }
a { color: var(--link); text-decoration: none }
a:hover, p a { text-decoration: underline }
a:focus-visible { outline: 2px solid var(--link); outline-offset: 2px }
code { font: .9em/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace }
table { width: 100%; border-collapse: collapse; font-size: .8125rem }
th, td { text-align: left; overflow-wrap: break-word; vertical-align: top; padding: .4rem .75rem .4rem 0; border-bottom: 1px solid var(--line) }
dt { font-weight: 600; margin-top: 1rem }
dd { margin: 0 }
ul { padding-left: 1.25rem }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; padding-bottom: .75rem; border-bottom: 1px solid var(--line) }
nav a:first-child { color: var(--text); font-weight: 700 }
td:first-child code { white-space: nowrap }
.soft { color: var(--soft) }
.scroll { overflow-x: auto }
`

/** The pages are text and this style sheet: nothing else may load or run. */
export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}

/** `servesDashboard`: the dashboard is on this instance. */
export function page(
  title: string,
  main: Html,
  { servesDashboard = false }: { servesDashboard?: boolean } = {},
): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${{ html: STYLE }}</style>
</head>
<body>
<nav aria-label="Site"><a href="/">Doorcode</a> ${servesDashboard && html`<a href="/dashboard/">Dashboard</a>`} <a href="/docs">API reference</a> <a href="/problems">Problems</a> <a href="/openapi.json">OpenAPI</a></nav>
<main>
${main}
</main>
</body>
</html>
`.html
}
