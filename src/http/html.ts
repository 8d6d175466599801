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
:root { color-scheme: light dark; --text: #1c2128; --soft: #57606a; --line: #d0d7de; --back: #fff; --raised: #f6f8fa; --link: #0a58ca }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6edf3; --soft: #9aa4ae; --line: #353c45; --back: #10151b; --raised: #191f27; --link: #79b8ff }
}
* { box-sizing: border-box }
body { margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 54rem; background: var(--back); color: var(--text); font: 1rem/1.6 system-ui, sans-serif; overflow-wrap: anywhere }
h1 { font-size: 1.75rem; line-height: 1.25; margin: .5rem 0 1rem }
h2 { font-size: 1.35rem; margin: 3rem 0 .75rem; padding-top: 1rem; border-top: 1px solid var(--line) }
a { color: var(--link) }
a:focus-visible { outline: 2px solid var(--link); outline-offset: 2px }
code { font: .875em/1.5 ui-monospace, monospace }
table { width: 100%; border-collapse: collapse; font-size: .925rem }
th, td { text-align: left; overflow-wrap: break-word; vertical-align: top; padding: .4rem .75rem .4rem 0; border-bottom: 1px solid var(--line) }
dt { font-weight: 600; margin-top: 1rem }
dd { margin: 0 }
ul { padding-left: 1.25rem }
nav { font-size: .925rem }
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

export function page(title: string, main: Html): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${{ html: STYLE }}</style>
</head>
<body>
<nav aria-label="Site"><a href="/">Doorcode</a> · <a href="/docs">API reference</a> · <a href="/problems">Problems</a> · <a href="/openapi.json">OpenAPI</a></nav>
<main>
${main}
</main>
</body>
</html>
`.html
}
