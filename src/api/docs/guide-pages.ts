import type { FastifyInstance, FastifyReply } from 'fastify'
import { PAGE_HEADERS, type Html, type SiteOptions, html, page } from '../../lib/http/html.ts'
import { MAX_QUERY_LENGTH, searchGuides } from './guide-search.ts'
import { GUIDES_PATH, type Guide, type Guides, INDEX, createGuides } from './guides.ts'

/** As of the other pages, and the form of the search sends its words to this instance. */
const HEADERS = {
  ...PAGE_HEADERS,
  'content-security-policy': PAGE_HEADERS['content-security-policy'].replace(
    "form-action 'none'",
    "form-action 'self'",
  ),
}

/** The documents of `docs/`, with a search, as HTML and as Markdown. Returns all guides, of which each is rendered once. */
export function serveGuides(app: FastifyInstance, options: SiteOptions): () => Promise<Guide[]> {
  let guides: Guides | undefined // not the promise: a failed one would stay
  const find = async (name: string): Promise<Guide | undefined> => (guides ??= await createGuides()).find(name)
  const list = async (): Promise<Guide[]> => {
    guides ??= await createGuides()
    return (await Promise.all(guides.names.map(guides.find))).filter((guide) => guide !== undefined)
  }
  const send = (reply: FastifyReply, title: string, main: Html): FastifyReply =>
    reply.headers(HEADERS).send(page(`${title} · Doorcode`, main, options))

  for (const path of [GUIDES_PATH, `${GUIDES_PATH}/`])
    app.get<{ Querystring: Record<string, unknown> }>(path, async ({ query: { q } }, reply) => {
      if (typeof q === 'string' && q !== '') return send(reply, 'Search', results(q, await list()))
      const index = await find(INDEX)
      return send(reply, 'Guides', html`${searchForm('')}${index?.page}`)
    })
  app.get(`${GUIDES_PATH}.md`, async (_request, reply) => sendMarkdown(reply, await find(INDEX)))
  app.get<{ Params: { name: string } }>(`${GUIDES_PATH}/:name`, async (request, reply) => {
    const [, name = '', markdown] = /^(.*?)(\.md)?$/s.exec(request.params.name) ?? []
    const guide = name === INDEX ? undefined : await find(name)
    if (!guide) return send(reply.code(404), 'No such guide', html`${searchForm('')}${NO_SUCH_GUIDE}`)
    if (markdown) return sendMarkdown(reply, guide)
    return send(reply, guide.title, html`${searchForm('')}${contents(guide)}${guide.page}`)
  })
  return list
}

const sendMarkdown = (reply: FastifyReply, guide: Guide | undefined): FastifyReply =>
  reply.type('text/markdown; charset=utf-8').send(guide?.source)

const NO_SUCH_GUIDE = html`<h1>No such guide</h1>
<p>No guide has this name. <a href="${GUIDES_PATH}">All guides</a></p>`

const searchForm = (query: string): Html => html`<form class="search" action="${GUIDES_PATH}" role="search">
<a href="${GUIDES_PATH}">Guides</a>
<input type="search" name="q" value="${query}" maxlength="${MAX_QUERY_LENGTH}" aria-label="Search the guides" placeholder="Search">
<button>Search</button>
</form>
`

/** The headings of a long page. */
function contents({ sections }: Guide): Html | undefined {
  const linked = sections.filter(({ anchor }) => anchor !== '')
  if (linked.length < 3) return undefined
  return html`<details><summary>On this page</summary><ul>
${linked.map(({ anchor, heading }) => html`<li><a href="#${anchor}">${heading}</a></li>`)}
</ul></details>
`
}

function results(query: string, guides: readonly Guide[]): Html {
  const found = searchGuides(guides, query)
  const list = html`<ul>${found.map(
    ({ title, heading, path }) =>
      html`<li><a href="${path}">${heading}</a>${heading !== title && html` <span class="soft">in ${title}</span>`}</li>`,
  )}</ul>`
  return html`${searchForm(query)}<h1>Search</h1>
${found.length === 0 ? html`<p>No heading or text has these words. <a href="${GUIDES_PATH}">All guides</a></p>` : list}`
}
