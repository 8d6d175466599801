import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify'
import { type ApiErrorCode, apiErrors } from '../../lib/errors.ts'
import { FAILURE_CODES, type FailureCode, failureCodes, isFailureCode } from '../../providers/failure-codes.ts'
import { COMMON_STYLE, PAGE_HEADERS, type Html, html, page, prose, siteLinks } from '../../lib/http/html.ts'
import { REJECTIONS_LOGGED_PER_SECOND } from '../../lib/http/rejection-log.ts'
import { type Collections, collectionsOf } from './collections.ts'
import { serveFont } from './font.ts'
import { serveGuides } from './guide-pages.ts'
import { type Guide, guidePath } from './guides.ts'
import { markdownOf, markdownPathOf } from './markdown.ts'
import type { ApiDocument } from './openapi.ts'
import { referenceMarkdown } from './reference.ts'
import { type RequestExample, TRY_PATH, TRY_SCRIPT, fillIn, readExample, withBlanks } from './try.ts'

type PageOptions = {
  servesDashboard?: boolean
  /** What the examples of requests use. Default: ids that do not exist. */
  example?: () => RequestExample | undefined
}

/** The front page, the API reference and one page per problem, as HTML and as Markdown; and the document, for tools. */
export function servePages(app: FastifyInstance, describe: () => ApiDocument, options: PageOptions): void {
  const serve = (path: string, title: string, render: () => Html | Promise<Html>): void => {
    app.get(path, async (_request, reply) => sendPage(reply, page(`${title}Doorcode`, await render(), options)))
    app.get(markdownPathOf(path), async (_request, reply) => sendMarkdown(reply, markdownOf(await render())))
  }
  serve('/', '', () => front(options))
  serve('/problems', 'Problems · ', problemIndex)
  app.get('/problems/', (_request, reply) => sendPage(reply, page('Problems · Doorcode', problemIndex(), options)))
  serveReference(app, options)
  serveFont(app)
  app.get<{ Params: { code: string } }>('/problems/:code', (request, reply) => {
    const [, code = '', markdown] = /^(.*?)(\.md)?$/s.exec(request.params.code) ?? []
    const problem = isApiErrorCode(code) ? problemPage(code) : isFailureCode(code) ? failurePage(code) : undefined
    if (!problem) return sendPage(reply.code(404), page('No such problem · Doorcode', NO_SUCH_PROBLEM, options))
    return markdown
      ? sendMarkdown(reply, markdownOf(problem))
      : sendPage(reply, page(`${code} · Doorcode`, problem, options))
  })
  const listGuides = serveGuides(app, options)
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

const sendPage = (reply: FastifyReply, body: string): FastifyReply => reply.headers(PAGE_HEADERS).send(body)

const sendMarkdown = (reply: FastifyReply, body: string): FastifyReply =>
  reply.type('text/markdown; charset=utf-8').send(body)

/** All pages as Markdown, for language models: https://llmstxt.org/ */
function pageList(guides: readonly Guide[]): string {
  const problems = Object.entries(apiErrors).map(([code, { title }]) => `- [${code}](/problems/${code}.md): ${title}`)
  const failures = Object.keys(failureCodes).map((code) => `- [${code}](/problems/${code}.md)`)
  return `# Doorcode

> A Doorcode instance: for backends with an API key, it delivers one-time codes over WhatsApp, asks customers to confirm cash-on-delivery orders, and reports the result of each by signed webhooks.

## API

- [API reference](/docs.md): every route, webhook and schema, and how to verify a webhook
- [OpenAPI document](/openapi.json)
- [Collection for Postman](/docs/postman.json)
- [Collection for Bruno](/docs/bruno.json)

## Guides

${guides.map(({ name, title }) => `- [${title}](${markdownPathOf(guidePath(name))})`).join('\n')}

## Problems

- [All problems and failures](/problems.md)
${problems.join('\n')}

## Failures of accepted messages

${failures.join('\n')}
`
}

const isApiErrorCode = (text: string): text is ApiErrorCode => Object.hasOwn(apiErrors, text)

const front = ({ servesDashboard }: PageOptions): Html => html`<h1>Doorcode</h1>
<p>This is a Doorcode instance: for backends with an API key, it delivers one-time codes over WhatsApp, asks customers to confirm cash-on-delivery orders, and reports the result of each.</p>
<ul>
${servesDashboard && html`<li><a href="/dashboard/">Dashboard</a>, for people who run workspaces</li>`}
<li><a href="/docs">API reference</a></li>
<li><a href="/docs/guides">Guides</a>: quickstarts, integration, operation</li>
<li><a href="/problems">What each problem means and who can fix it</a></li>
<li><a href="/openapi.json">OpenAPI document</a>, for tools; collections for <a href="/docs/postman.json">Postman</a> and <a href="/docs/bruno.json">Bruno</a></li>
<li><a href="/llms.txt">These pages as Markdown</a>, for language models</li>
<li><a href="/readyz">Whether this instance is ready</a></li>
</ul>`

const NO_SUCH_PROBLEM = html`<h1>No such problem</h1>
<p>No problem of this service has this code. <a href="/problems">All problems</a></p>`

const OWNERS = {
  client: 'The developer of the program that calls the API.',
  operator: 'The operator of this instance and its WhatsApp account.',
  doorcode: 'Doorcode. The operator of this instance can report it.',
}

function problemPage(code: ApiErrorCode): Html {
  const { status, title, owner, cause, fix } = apiErrors[code]
  return html`<h1><code>${code}</code></h1>
<p>${title}. HTTP status ${status}.</p>
${remedy({ owner, cause, fix })}
<p class="soft">Every problem of a request carries a <code>correlationId</code>. Include it when you ask for help: the log contains the request with this id. Rejected requests are logged at the level <code>info</code>; in a flood, at least the first ${REJECTIONS_LOGGED_PER_SECOND.others} of each second and the number of the others.</p>`
}

type Remedy = { owner: keyof typeof OWNERS; cause: string; fix: string }

const remedy = ({ owner, cause, fix }: Remedy): Html => html`<dl>
<dt>Why it happens</dt><dd>${prose(cause)}</dd>
<dt>Who must act</dt><dd>${OWNERS[owner]}</dd>
<dt>What to do</dt><dd>${withGuideLinks(fix)}</dd>
</dl>`

/** Links the guides that the text names. */
const withGuideLinks = (text: string): Html[] =>
  text
    .split(/(\/docs\/guides\/[a-z-]+)/)
    .flatMap((part) => (part.startsWith('/docs/guides/') ? [html`<a href="${part}">${part}</a>`] : prose(part)))

const failurePage = (code: FailureCode): Html => html`<h1><code>${code}</code></h1>
<p>A message that was accepted could not be delivered. <code>failure.code</code> in the status and in webhooks is this code.</p>
${remedy(failureCodes[code])}
<p>Use another channel now, such as SMS: ${failureCodes[code].anotherChannel}. <a href="/problems#failures">What this means</a></p>
<p class="soft">The command <code>npm run -s doorcode -- explain &lt;id&gt;</code>, with the id of the message or confirmation, shows what WhatsApp answered and who must act.</p>`

function problemIndex(): Html {
  const codes = Object.keys(apiErrors)
    .filter(isApiErrorCode)
    .toSorted((one, other) => apiErrors[one].status - apiErrors[other].status)
  return html`<h1>Problems</h1>
<p>The response to a rejected request is <code>application/problem+json</code>. Its <code>code</code> is one of these.</p>
<div class="scroll"><table>
<thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">Meaning</th></tr></thead>
<tbody>${codes.map(
    (code) =>
      html`<tr><td>${apiErrors[code].status}</td><td><a href="/problems/${code}">${codeName(code)}</a></td><td>${apiErrors[code].title}</td></tr>`,
  )}</tbody>
</table></div>
<h2 id="failures">Failures</h2>
<p>An accepted message can still fail. Then <code>failure.code</code> in its status and webhooks is one of these. Later releases may add more.</p>
<p>Use another channel now, such as SMS or a call: <em>yes</em>, because WhatsApp will not take the message soon; <em>later</em>, if the recipient got neither this message nor a new one; or <em>no</em>, send nothing.</p>
<div class="scroll"><table>
<thead><tr><th scope="col">Code</th><th scope="col">Who must act</th><th scope="col">Another channel now</th><th scope="col">Meaning</th></tr></thead>
<tbody>${FAILURE_CODES.map((code) => {
    const { owner, anotherChannel, cause } = failureCodes[code]
    return html`<tr><td><a href="/problems/${code}">${codeName(code)}</a></td><td>${owner === 'client' ? 'your backend' : owner}</td><td>${anotherChannel}</td><td>${prose(cause)}</td></tr>`
  })}</tbody>
</table></div>`
}

/** Long names may break after an underscore: a phone has no room for the column. */
const codeName = (code: string): Html =>
  html`<code>${code.split('_').map((part, index) => html`${index > 0 && html`_<wbr>`}${part}`)}</code>`

/**
 * Below the links of the site, with the fonts and colors of the dashboard. A phone has no room for the last link, which leads to
 * the document: so does a link of the reference.
 */
const REFERENCE_STYLE = `${COMMON_STYLE}
body { margin: 0; background: var(--back) }
.site { position: sticky; top: 0; z-index: 100; box-sizing: border-box; height: 3.5rem; flex-wrap: nowrap; overflow-x: auto; white-space: nowrap }
@media (max-width: 30rem) { .site a:last-child { display: none } }
`

/** Scalar's variables. Light and dark follow the system, as on the pages around the reference. */
const SCALAR_STYLE = `
:root { --scalar-custom-header-height: 3.5rem; --scalar-font: var(--font); --scalar-font-code: var(--mono); --scalar-heading-1: 22px; --scalar-button-1: #4048d6; --scalar-button-1-color: #fff; --scalar-button-1-hover: #323ab6 }
.scalar-app .markdown { font-size: 14px }
.light-mode { --scalar-color-1: #000; --scalar-color-2: #495057; --scalar-color-3: #495057; --scalar-color-accent: #4048d6; --scalar-link-color: #4048d6; --scalar-background-1: #fff; --scalar-background-2: #f8f9fa; --scalar-background-3: #e9ecef; --scalar-background-accent: #eef0ff; --scalar-border-color: #dee2e6 }
.dark-mode { --scalar-color-1: #c9c9c9; --scalar-color-2: #b8b8b8; --scalar-color-3: #b8b8b8; --scalar-color-accent: #8d93ee; --scalar-link-color: #8d93ee; --scalar-background-1: #242424; --scalar-background-2: #2e2e2e; --scalar-background-3: #3b3b3b; --scalar-background-accent: #2f3157; --scalar-border-color: #424242 }
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

const referencePage = (options: PageOptions): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API reference · Doorcode</title>
<style>${{ html: REFERENCE_STYLE }}</style>
</head>
<body>
${siteLinks(options)}
<noscript>This page needs JavaScript. <a href="/openapi.json">The OpenAPI document</a> says the same.</noscript>
<script id="api-reference" data-url="/openapi.json" data-configuration="${JSON.stringify(CONFIGURATION)}"></script>
<script src="${TRY_PATH}"></script>
<script src="${SCRIPT_PATH}"></script>
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
function serveReference(app: FastifyInstance, options: PageOptions): void {
  const reference = referencePage(options)
  let script: Buffer | undefined
  for (const path of ['/docs', '/docs/'])
    app.get(path, (_request, reply) => reply.headers(REFERENCE_HEADERS).send(reference))
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
