import type { FastifyInstance } from 'fastify'
import { PAGE_HEADERS, type Html, html } from '../../lib/http/html.ts'
import { FAILURE_CODES } from '../../providers/failure-codes.ts'
import { MAX_QUERY_LENGTH, searchGuides } from './guide-search.ts'
import { GUIDES_PATH, type Guide, type Guides, INDEX, createGuides, hasProblemPage } from './guides.ts'
import { type Reader, type Site, readReader } from './reader.ts'
import { sendMarkdown, sendPage } from './send.ts'

/** As of the other pages, and the form of the search sends its words to this instance. */
const headers = {
  ...PAGE_HEADERS,
  'content-security-policy': PAGE_HEADERS['content-security-policy'].replace(
    "form-action 'none'",
    "form-action 'self'",
  ),
}

/**
 * The documents of `docs/`, with a search, as HTML and as Markdown. They are in English; what stands around them is in the
 * reader's language. Returns all guides, of which each is rendered once.
 */
export function serveGuides(app: FastifyInstance, site: Site): () => Promise<Guide[]> {
  let guides: Guides | undefined // not the promise: a failed one would stay
  const find = async (name: string): Promise<Guide | undefined> => (guides ??= await createGuides()).find(name)
  const list = async (): Promise<Guide[]> => {
    guides ??= await createGuides()
    return (await Promise.all(guides.names.map(guides.find))).filter((guide) => guide !== undefined)
  }

  for (const path of [GUIDES_PATH, `${GUIDES_PATH}/`])
    app.get<{ Querystring: Record<string, unknown> }>(path, async (request, reply) => {
      const reader = readReader(request, reply, site)
      const { t } = reader.texts
      const { q } = request.query
      if (typeof q === 'string' && q !== '')
        return sendPage(reply, reader, {
          title: t('page_site.search'),
          main: results(q, { guides: await list(), site, reader }),
          headers,
        })
      const main = html`${searchForm('', reader)}${inEnglishOnly((await find(INDEX))?.page, reader)}`
      return sendPage(reply, reader, { title: t('page_site.guides'), main, headers })
    })
  app.get(`${GUIDES_PATH}.md`, async (_request, reply) => sendMarkdown(reply, (await find(INDEX))?.source))
  app.get<{ Params: { name: string } }>(`${GUIDES_PATH}/:name`, async (request, reply) => {
    const [, name = '', markdown] = /^(.*?)(\.md)?$/s.exec(request.params.name) ?? []
    const guide = name === INDEX ? undefined : await find(name)
    if (guide && markdown) return sendMarkdown(reply, guide.source)
    const reader = readReader(request, reply, site)
    const form = searchForm('', reader)
    if (guide) {
      const main = html`${form}${inEnglishOnly(html`${contents(guide, reader)}${guide.page}`, reader)}`
      return sendPage(reply, reader, { title: guide.title, main, headers })
    }
    const { t } = reader.texts
    const main = html`${form}<h1>${t('page_site.no_guide_title')}</h1>
<p>${t('page_site.no_guide')} <a href="${GUIDES_PATH}">${t('page_site.all_guides')}</a></p>`
    return sendPage(reply.code(404), reader, { title: t('page_site.no_guide_title'), main, headers })
  })
  return list
}

/** Tells readers of other languages so, and writes the guide in its own direction. */
const inEnglishOnly = (guide: Html | undefined, { texts: { t, language } }: Reader): Html | undefined =>
  language === 'en'
    ? guide
    : html`<p class="soft">${t('page_site.english_only')}</p>
<div lang="en" dir="ltr">${guide}</div>`

const searchForm = (
  query: string,
  { texts: { t } }: Reader,
): Html => html`<form class="search" action="${GUIDES_PATH}" role="search">
<a href="${GUIDES_PATH}">${t('page_site.guides')}</a>
<input type="search" name="q" value="${query}" maxlength="${MAX_QUERY_LENGTH}" aria-label="${t('page_site.search_label')}" placeholder="${t('page_site.search')}">
<button>${t('page_site.search')}</button>
</form>
`

/** The headings of a long page. */
function contents({ sections }: Guide, { texts: { t, language } }: Reader): Html | undefined {
  const linked = sections.filter(({ anchor }) => anchor !== '')
  if (linked.length < 3) return undefined
  return html`<details><summary lang="${language}">${t('page_site.on_this_page')}</summary><ul class="links">
${linked.map(({ anchor, heading }) => html`<li><a href="#${anchor}">${heading}</a></li>`)}
</ul></details>
`
}

/** Codes of errors and failures, which have pages of their own. A code of the provider stands for its failure. */
function codesIn(query: string, { errorCodesOf }: Site): string[] {
  const words =
    query
      .slice(0, MAX_QUERY_LENGTH)
      .toUpperCase()
      .match(/[A-Z_]+|\d+/g) ?? []
  const failures = words.flatMap((word) => FAILURE_CODES.filter((code) => errorCodesOf(code).includes(word)))
  return [...new Set([...words.filter(hasProblemPage), ...failures])]
}

function results(
  query: string,
  { guides, site, reader }: { guides: readonly Guide[]; site: Site; reader: Reader },
): Html {
  const { t } = reader.texts
  const found = searchGuides(guides, query)
  const codes = codesIn(query, site).map((code) => html`<li><a href="/problems/${code}">${code}</a></li>`)
  const list = html`<ul class="hits links">${codes}${found.map(
    ({ title, heading, path, excerpt }) =>
      html`<li><a href="${path}" lang="en">${heading}</a>${heading !== title && html` <span class="soft">${t('page_site.in_guide', { guide: title })}</span>`}${
        excerpt !== '' &&
        html`
<p lang="en" dir="ltr">${excerpt}</p>`
      }</li>`,
  )}</ul>`
  return html`${searchForm(query, reader)}<h1>${t('page_site.search')}</h1>
${found.length + codes.length === 0 ? html`<p>${t('page_site.nothing_found')} <a href="${GUIDES_PATH}">${t('page_site.all_guides')}</a></p>` : list}`
}
