import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { translatorOf } from '../../../locales/resources.ts'
import { LANGUAGES, LANGUAGE_NAMES, type Language, directionOf } from '../../../locales/text.ts'

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

/** Served by src/api/docs/font.ts. */
export const FONT_PATHS = { latin: '/fonts/vazirmatn.woff2', arabic: '/fonts/vazirmatn-arabic.woff2' } as const

/** As of the font's own style sheet. */
const ARABIC_RANGE =
  'U+0600-06FF, U+0750-077F, U+0870-088E, U+0890-0891, U+0897-08E1, U+08E3-08FF, U+200C-200E, U+2010-2011, U+204F, U+2E41, U+FB50-FDFF, U+FE70-FE74, U+FE76-FEFC'

/** The dashboard's, whose links lead here. */
const MARK: Html = { html: readFileSync(new URL('../../../dashboard/ui/shell/mark.svg', import.meta.url), 'utf8') }

/** The dashboard's font, with its metrics, and its colors, light or dark as the system is set. */
export const COMMON_STYLE = `
@font-face { font-family: "Vazirmatn Variable"; font-weight: 100 900; font-display: swap; ascent-override: 97%; descent-override: 33%; line-gap-override: 0%; src: url("${FONT_PATHS.latin}") format("woff2") }
@font-face { font-family: "Vazirmatn Variable"; font-weight: 100 900; font-display: swap; ascent-override: 97%; descent-override: 33%; line-gap-override: 0%; src: url("${FONT_PATHS.arabic}") format("woff2"); unicode-range: ${ARABIC_RANGE} }
:root { color-scheme: light dark; --text: #000; --soft: #495057; --line: #dee2e6; --back: #fff; --link: #4048d6; --font: "Vazirmatn Variable", Roboto, Arial, "Noto Sans Arabic", "Noto Sans", sans-serif; --mono: ui-monospace, "SF Mono", Menlo, Consolas, monospace }
@media (prefers-color-scheme: dark) {
  :root { --text: #d3d6dd; --soft: #b3b8c2; --line: #3b404a; --back: #14161a; --link: #8d93ee }
}
.site { display: flex; flex-wrap: wrap; align-items: center; gap: 0 1.25rem; min-height: 3.5rem; padding: .25rem 1.25rem; border-bottom: 1px solid var(--line); background: var(--back); font: .875rem/1.5 var(--font) }
.site nav { display: flex; flex-wrap: wrap; gap: 0 1.25rem }
.site a { display: inline-flex; align-items: center; min-height: 2rem; color: var(--link); text-decoration: none }
.site a:hover { text-decoration: underline }
.site a:focus-visible { outline: 2px solid var(--link); outline-offset: 2px }
.site .brand { gap: .5rem; color: var(--text); font-weight: 600 }
.site .brand svg { width: 1.5rem; height: 1.5rem }
.site .languages { gap: 0 1rem; margin-inline-start: auto }
.site .languages a { color: var(--soft) }
.site a[aria-current] { color: var(--text); font-weight: 600 }
@media (max-width: 48rem) { .site .pages { order: 1; flex-basis: 100% } }
`

const STYLE = `${COMMON_STYLE}
* { box-sizing: border-box }
body { margin: 0; background: var(--back); color: var(--text); font: .875rem/1.6 var(--font); overflow-wrap: break-word }
main { max-width: 54rem; margin: 0 auto; padding: .5rem 1.25rem 4rem }
h1 { font-size: 1.375rem; font-weight: 600; line-height: 1.3; margin: 1.5rem 0 1rem; text-wrap: balance }
h1 code { font-size: 1em; overflow-wrap: anywhere }
h2 { font-size: 1rem; font-weight: 600; margin: 2.5rem 0 .75rem }
h3 { font-size: .875rem; font-weight: 600; margin: 1.75rem 0 .5rem }
p, dd, li { text-wrap: pretty }
a { color: var(--link); text-underline-offset: .2em; text-decoration-color: color-mix(in srgb, currentcolor 40%, transparent) }
a:hover { text-decoration-color: currentcolor }
a:focus-visible { outline: 2px solid var(--link); outline-offset: 2px }
code { font: .9em/1.5 var(--mono); direction: ltr; unicode-bidi: isolate }
table { width: 100%; border-collapse: collapse; font-size: .8125rem; font-variant-numeric: tabular-nums }
th { color: var(--soft); font-weight: 500 }
th, td { text-align: start; vertical-align: top; padding: .5rem .75rem .5rem 0; border-bottom: 1px solid var(--line) }
dt { font-weight: 600; margin-top: 1rem }
dd { margin: 0 }
ul { padding-inline-start: 1.25rem }
td:first-child code { white-space: nowrap }
.links a { display: inline-block; line-height: 1.5rem }
.whole { white-space: nowrap }
.soft { color: var(--soft) }
.scroll { overflow-x: auto }
pre { direction: ltr; text-align: left; overflow-x: auto; padding: .75rem 1rem; border: 1px solid var(--line); border-radius: 8px }
.hits p { margin: 0 0 .75rem }
.search { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem; margin-top: 1.25rem }
.search a { margin-inline-end: auto; text-decoration: none }
.search input, .search button { min-height: 2.25rem; padding: 0 .75rem; border: 1px solid var(--line); border-radius: 8px; background: var(--back); color: var(--text); font: inherit }
.search input { flex: 1 8rem; max-width: 16rem; min-width: 0 }
.search :focus-visible { outline: 2px solid var(--link); outline-offset: 2px }
summary { padding-block: .25rem; color: var(--soft); cursor: pointer }
.back { display: flex; flex-wrap: wrap; gap: 0 1.25rem; margin-top: 1rem }
.back a { display: inline-flex; align-items: center; min-height: 2rem; text-decoration: none }
.back a:hover { text-decoration: underline }
.kind { margin: -.5rem 0 1.5rem; color: var(--soft) }
.action { display: inline-flex; align-items: center; min-height: 2.25rem; margin-top: 1.25rem; padding: 0 1rem; border-radius: 8px; background: #4048d6; color: #fff; font-weight: 600; text-decoration: none }
.action:hover { background: #323ab6 }
td p { margin: 0 }
td p + p { color: var(--soft) }
@media (max-width: 36rem) {
td:first-child code { white-space: normal }
.folds thead { display: none }
.folds tr { display: block; padding-block: .5rem; border-bottom: 1px solid var(--line) }
.folds td { display: block; padding: 0; border: 0 }
.folds td[data-title]::before { content: attr(data-title) ": "; color: var(--soft) }
}
`

/** The pages are text, this style sheet and its font: nothing else may load or run. */
export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}

/** What stands around the content of a page. */
export type Frame = {
  /** The dashboard is on this instance. */
  servesDashboard?: boolean
  /** Default: English. */
  language?: Language
  /** The address of the page in a language. Without it the reader cannot choose. */
  hrefIn?: (language: Language) => string
}

export function siteLinks({ servesDashboard = false, language = 'en', hrefIn }: Frame = {}): Html {
  const { t } = translatorOf(language)
  const languages =
    hrefIn &&
    html`<nav class="languages" aria-label="${t('page_site.languages')}">${LANGUAGES.map(
      (each) =>
        html`<a href="${hrefIn(each)}" lang="${each}" hreflang="${each}"${each === language && { html: ' aria-current="true"' }}>${LANGUAGE_NAMES[each]}</a>`,
    )}</nav>`
  return html`<header class="site"><a class="brand" href="/">${MARK}Doorcode</a><nav class="pages" aria-label="${t('page_site.site')}">${
    servesDashboard && html`<a href="/dashboard/">${t('page_site.dashboard')}</a>`
  } <a href="/docs">${t('page_site.reference')}</a> <a href="/docs/guides">${t('page_site.guides')}</a> <a href="/problems">${t('page_site.errors')}</a></nav>${languages}</header>`
}

/** `title`: empty on the front page. `main`: with the language of its own, if that is not the language of the frame. */
export function page(title: string, main: Html, frame: Frame = {}): string {
  const { language = 'en' } = frame
  return html`<!doctype html>
<html lang="${language}" dir="${directionOf(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title === '' ? 'Doorcode' : `${title} · Doorcode`}</title>
<style>${{ html: STYLE }}</style>
</head>
<body>
${siteLinks(frame)}
<main>
${main}
</main>
</body>
</html>
`.html
}
