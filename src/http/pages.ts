import type { FastifyInstance, FastifyReply } from 'fastify'
import { type RefusalCode, refusals } from '../errors.ts'
import { PAGE_HEADERS, type Html, html, page, prose } from './html.ts'
import type { ApiDocument } from './openapi.ts'
import { referencePage } from './reference-page.ts'
import { REFUSALS_LOGGED_PER_SECOND } from './refusal-log.ts'

export type PageOptions = { servesDashboard?: boolean }

/** What people read in a browser: what this is, the API's reference, and a page per problem. */
export function servePages(app: FastifyInstance, document: ApiDocument, options: PageOptions): void {
  const pages: Record<string, string> = {
    '/': page('Doorcode', front(options)),
    '/docs': page('Doorcode API', referencePage(document)),
    '/problems': page('Problems · Doorcode', problemIndex()),
  }
  for (const [path, body] of Object.entries(pages)) {
    app.get(path, (_request, reply) => sendPage(reply, body))
    if (path !== '/') app.get(`${path}/`, (_request, reply) => sendPage(reply, body))
  }
  app.get<{ Params: { code: string } }>('/problems/:code', (request, reply) => {
    const { code } = request.params
    if (isRefusalCode(code)) return sendPage(reply, page(`${code} · Doorcode`, problemPage(code)))
    return sendPage(reply.code(404), page('No such problem · Doorcode', NO_SUCH_PROBLEM))
  })
  const json = JSON.stringify(document)
  app.get('/openapi.json', (_request, reply) => reply.type('application/json').send(json))
}

const sendPage = (reply: FastifyReply, body: string): FastifyReply => reply.headers(PAGE_HEADERS).send(body)

const isRefusalCode = (text: string): text is RefusalCode => Object.hasOwn(refusals, text)

const front = ({ servesDashboard }: PageOptions): Html => html`<h1>Doorcode</h1>
<p>This is a Doorcode instance: for the backends that hold a key of it, it delivers one-time codes over WhatsApp and asks customers to confirm cash-on-delivery orders, and tells what became of each.</p>
<ul>
${servesDashboard && html`<li><a href="/dashboard/">Dashboard</a>, for people who run workspaces</li>`}
<li><a href="/docs">API reference</a></li>
<li><a href="/problems">What each problem means, and who can mend it</a></li>
<li><a href="/openapi.json">OpenAPI document</a>, for tools</li>
<li><a href="/readyz">Whether this instance is ready</a></li>
</ul>`

const NO_SUCH_PROBLEM = html`<h1>No such problem</h1>
<p>No problem of this service has this code. <a href="/problems">All problems</a></p>`

const OWNERS = {
  caller: 'Whoever wrote the program that calls the API.',
  operator: 'Whoever runs this instance and its WhatsApp account.',
  doorcode: 'Doorcode itself; whoever runs this instance can report it.',
}

function problemPage(code: RefusalCode): Html {
  const { status, title, owner, cause, fix } = refusals[code]
  return html`<h1><code>${code}</code></h1>
<p>${title}. Answered with HTTP status ${status}.</p>
<dl>
<dt>Why it happens</dt><dd>${prose(cause)}</dd>
<dt>Who must act</dt><dd>${OWNERS[owner]}</dd>
<dt>What to do</dt><dd>${prose(fix)}</dd>
</dl>
<p class="soft">Every problem of a request carries a <code>correlationId</code>. Name it when you ask for help: the log tells of the request under it. Refusals are told at the level <code>info</code>; of a flood, at least the first ${REFUSALS_LOGGED_PER_SECOND.others} of each second, and how many more there were.</p>`
}

function problemIndex(): Html {
  const codes = Object.keys(refusals).filter(isRefusalCode)
  return html`<h1>Problems</h1>
<p>Refused requests are answered with <code>application/problem+json</code>. Its member <code>code</code> is one of these.</p>
<div class="scroll"><table>
<thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">Meaning</th></tr></thead>
<tbody>${codes.map(
    (code) =>
      html`<tr><td>${refusals[code].status}</td><td><a href="/problems/${code}"><code>${code}</code></a></td><td>${refusals[code].title}</td></tr>`,
  )}</tbody>
</table></div>`
}
