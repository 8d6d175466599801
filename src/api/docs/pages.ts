import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import Fastify, { type FastifyInstance } from 'fastify'
import { directionOf } from '../../../locales/text.ts'
import { inEnglish } from '../../../locales/resources.ts'
import { apiErrors } from '../../lib/errors.ts'
import { FAILURE_CODES, failurePart } from '../../providers/failure-codes.ts'
import { COMMON_STYLE, type Html, html, siteLinks } from '../../lib/http/html.ts'
import { type Collections, collectionsOf } from './collections.ts'
import { serveFont } from './font.ts'
import { serveGuides } from './guide-pages.ts'
import { type Guide, guidePath } from './guides.ts'
import { markdownOf, markdownPathOf } from './markdown.ts'
import type { ApiDocument } from './openapi.ts'
import { serveProblems } from './problem-pages.ts'
import { ENGLISH_READER, type Reader, type Site, readReader } from './reader.ts'
import { referenceMarkdown } from './reference.ts'
import { sendMarkdown, sendPage } from './send.ts'
import { type RequestExample, TRY_PATH, TRY_SCRIPT, fillIn, readExample, withBlanks } from './try.ts'

type PageOptions = Partial<Site> & {
  /** What the examples of requests use. Default: ids that do not exist. */
  example?: () => RequestExample | undefined
}

/** The front page, the API reference, the guides and one page per problem, as HTML and as Markdown; and the document, for tools. */
export function servePages(app: FastifyInstance, describe: () => ApiDocument, options: PageOptions): void {
  const { servesDashboard = false, program = 'doorcode', errorCodesOf = () => [] } = options
  const site: Site = { servesDashboard, program, errorCodesOf }
  app.get('/', (request, reply) => {
    const reader = readReader(request, reply, site)
    return sendPage(reply, reader, { title: '', main: front(reader) })
  })
  app.get(markdownPathOf('/'), (_request, reply) =>
    sendMarkdown(reply, markdownOf(front({ ...ENGLISH_READER, frame: { servesDashboard } }))),
  )
  serveProblems(app, site)
  serveReference(app, site)
  serveFont(app)
  const listGuides = serveGuides(app, site)
  app.get('/llms.txt', async (_request, reply) =>
    reply.type('text/plain; charset=utf-8').send(pageList(await listGuides())),
  )
  serveDocument(app, describe, options)
}

/** Each form of the document is made at its first request: it takes as long as the rest of a start. */
function serveDocument(app: FastifyInstance, describe: () => ApiDocument, options: PageOptions): void {
  let made: ApiDocument | undefined
  const document = (): ApiDocument => (made ??= describe())
  let text: string | undefined
  let textWithBlanks: string | undefined
  app.get<{ Querystring: Record<string, unknown> }>('/openapi.json', (request, reply) => {
    const example = readExample(request.query) ?? options.example?.()
    const body = example
      ? fillIn((textWithBlanks ??= withBlanks(document())), example)
      : (text ??= JSON.stringify(document()))
    return reply.type('application/json').send(body)
  })
  let reference: string | undefined
  app.get('/docs.md', (_request, reply) => sendMarkdown(reply, (reference ??= referenceMarkdown(document()))))
  let collections: Collections | undefined
  for (const program of ['postman', 'bruno'] as const)
    app.get(`/docs/${program}.json`, (_request, reply) => {
      collections ??= collectionsOf(document())
      const disposition = `attachment; filename="doorcode.${program}_collection.json"`
      return reply.header('content-disposition', disposition).send(collections[program](options.example?.()))
    })
}

/** All pages as Markdown, for language models: https://llmstxt.org/ */
function pageList(guides: readonly Guide[]): string {
  const problems = Object.entries(apiErrors).map(([code, { title }]) => `- [${code}](/problems/${code}.md): ${title}`)
  const failures = FAILURE_CODES.map(
    (code) => `- [${code}](/problems/${code}.md): ${inEnglish(failurePart(code, 'short'))}`,
  )
  return `# Doorcode

> A Doorcode instance: for backends with an API key, it delivers one-time codes over WhatsApp, asks customers to confirm cash-on-delivery orders, and reports the result of each by signed webhooks.

## API

- [API reference](/docs.md): every route, webhook and schema, and how to verify a webhook
- [OpenAPI document](/openapi.json)
- [Collection for Postman](/docs/postman.json)
- [Collection for Bruno](/docs/bruno.json)

## Guides

${guides.map(({ name, title }) => `- [${title}](${markdownPathOf(guidePath(name))})`).join('\n')}

## Errors

- [All errors and failures](/problems.md)
${problems.join('\n')}

## Failures of accepted messages

${failures.join('\n')}
`
}

const front = ({ texts: { t }, frame: { servesDashboard } }: Reader): Html => html`<h1>Doorcode</h1>
<p>${t('page_site.front_lead')}</p>
<ul class="links">
${servesDashboard && html`<li><a href="/dashboard/">${t('page_site.dashboard')}</a>${t('page_shell.colon')}${t('page_site.front_dashboard')}</li>`}
<li><a href="/docs">${t('page_site.reference')}</a></li>
<li><a href="/docs/guides">${t('page_site.guides')}</a>${t('page_shell.colon')}${t('page_site.front_guides')}</li>
<li><a href="/problems">${t('page_site.front_errors')}</a></li>
<li><a href="/openapi.json">${t('page_site.front_document')}</a>${t('page_shell.colon')}${t('page_site.front_tools')} <span class="whole"><a href="/docs/postman.json">Postman</a>${t('page_shell.comma').trimEnd()}</span> <a href="/docs/bruno.json">Bruno</a></li>
<li><a href="/llms.txt">${t('page_site.front_markdown')}</a>${t('page_shell.colon')}${t('page_site.front_models')}</li>
<li><a href="/readyz">${t('page_site.front_ready')}</a></li>
</ul>`

/**
 * Below the links of the site, in one row or, on a phone, two rows of a known height, with the fonts and colors of the dashboard.
 */
const REFERENCE_STYLE = `${COMMON_STYLE}
body { margin: 0; background: var(--back) }
.site { position: sticky; top: 0; z-index: 100; box-sizing: border-box; height: var(--scalar-custom-header-height); overflow-x: auto; white-space: nowrap }
.site nav { flex-wrap: nowrap }
`

/** Scalar's variables. Light and dark follow the system, as on the pages around the reference. */
const SCALAR_STYLE = `
:root { --scalar-custom-header-height: 3.5rem; --scalar-font: var(--font); --scalar-font-code: var(--mono); --scalar-heading-1: 22px; --scalar-button-1: #4048d6; --scalar-button-1-color: #fff; --scalar-button-1-hover: #323ab6 }
@media (max-width: 48rem) { :root { --scalar-custom-header-height: calc(4.5rem + 1px) } }
.scalar-app .markdown { font-size: 14px }
.light-mode { --scalar-color-1: #000; --scalar-color-2: #495057; --scalar-color-3: #495057; --scalar-color-accent: #4048d6; --scalar-link-color: #4048d6; --scalar-background-1: #fff; --scalar-background-2: #f8f9fa; --scalar-background-3: #e9ecef; --scalar-background-accent: #eef0ff; --scalar-border-color: #dee2e6 }
.dark-mode { --scalar-color-1: #d3d6dd; --scalar-color-2: #b3b8c2; --scalar-color-3: #b3b8c2; --scalar-color-accent: #8d93ee; --scalar-link-color: #8d93ee; --scalar-background-1: #14161a; --scalar-background-2: #1c1f25; --scalar-background-3: #262a32; --scalar-background-accent: #2f3157; --scalar-border-color: #3b404a }
`

/** Loads nothing from other hosts and sends requests to this one. */
const CONFIGURATION = {
  servers: [{ url: '/' }],
  customCss: SCALAR_STYLE,
  withDefaultFonts: false,
  hideDarkModeToggle: true,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
} as const

const SCRIPT_PATH = '/docs/scalar.js'

const referencePage = ({ texts: { t, language }, frame }: Reader): string =>
  html`<!doctype html>
<html lang="${language}" dir="${directionOf(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${t('page_site.reference')} · Doorcode</title>
<style>${{ html: REFERENCE_STYLE }}</style>
</head>
<body>
${siteLinks(frame)}
<noscript>${t('page_site.needs_script')} <a href="/openapi.json">${t('page_site.document_says')}</a></noscript>
<main lang="en" dir="ltr">
<script id="api-reference" data-url="/openapi.json" data-configuration="${JSON.stringify(CONFIGURATION)}"></script>
<script src="${TRY_PATH}"></script>
<script src="${SCRIPT_PATH}"></script>
</main>
</body>
</html>
`.html

/** Scalar adds inline styles to the page. */
const REFERENCE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; img-src 'self' data:; font-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
}

/** The API reference. Its script is loaded when first opened: it takes 30 MB of memory. */
function serveReference(app: FastifyInstance, site: Site): void {
  let script: Buffer | undefined
  for (const path of ['/docs', '/docs/'])
    app.get(path, (request, reply) =>
      reply.headers(REFERENCE_HEADERS).send(referencePage(readReader(request, reply, site))),
    )
  app.get(TRY_PATH, (_request, reply) => reply.type('text/javascript; charset=utf-8').send(TRY_SCRIPT))
  app.get(SCRIPT_PATH, async (_request, reply) => {
    script ??= await zippedScript() // not the promise: a failed one would stay
    return reply
      .type('text/javascript; charset=utf-8')
      .headers({ 'content-encoding': 'gzip', 'cache-control': 'public, max-age=86400' })
      .send(script)
  })
}

/** Only the Fastify plugin contains the script. */
async function zippedScript(): Promise<Buffer> {
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  const server = Fastify()
  await server.register(scalar, { routePrefix: '/docs', configuration: { url: '/openapi.json' } })
  const { rawPayload } = await server.inject('/docs/js/scalar.js')
  return promisify(gzip)(rawPayload)
}
