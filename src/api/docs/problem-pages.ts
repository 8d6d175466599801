import type { FastifyInstance } from 'fastify'
import type { CodedText, TextCode } from '../../../locales/text.ts'
import { type ApiErrorCode, apiErrorText, apiErrors, isApiErrorCode } from '../../lib/errors.ts'
import { type Html, html, prose } from '../../lib/http/html.ts'
import { REJECTIONS_LOGGED_PER_SECOND } from '../../lib/http/rejection-log.ts'
import {
  FAILURE_CODES,
  type FailureCode,
  failureCodes,
  failurePart,
  isFailureCode,
} from '../../providers/failure-codes.ts'
import { markdownOf } from './markdown.ts'
import { ENGLISH_READER, type Reader, type Site, readReader } from './reader.ts'
import { sendMarkdown, sendPage } from './send.ts'

/** The list of all errors and failures, and one page for each, as HTML in the reader's language and as English Markdown. */
export function serveProblems(app: FastifyInstance, site: Site): void {
  for (const path of ['/problems', '/problems/'])
    app.get(path, (request, reply) => {
      const reader = readReader(request, reply, site)
      return sendPage(reply, reader, { title: reader.texts.t('page_problems.index_title'), main: index(reader) })
    })
  app.get('/problems.md', (_request, reply) => sendMarkdown(reply, markdownOf(index(ENGLISH_READER))))
  app.get<{ Params: { code: string } }>('/problems/:code', (request, reply) => {
    const [, code = '', markdown] = /^(.*?)(\.md)?$/s.exec(request.params.code) ?? []
    const found = isApiErrorCode(code) ? errorOf(code) : isFailureCode(code) ? failureOf(code, site) : undefined
    if (found && markdown) return sendMarkdown(reply, markdownOf(found.page(ENGLISH_READER)))
    const reader = readReader(request, reply, site)
    const { t, textOf } = reader.texts
    if (!found) return sendPage(reply.code(404), reader, { title: t('page_problems.none_title'), main: noPage(reader) })
    const main = html`${wayBack(reader)}${found.page(reader)}`
    return sendPage(reply, reader, { title: textOf(found.title), main })
  })
}

/** `page` without the links around it. */
type Found = { title: CodedText; page: (reader: Reader) => Html }

const errorOf = (code: ApiErrorCode): Found => ({
  title: apiErrorText(code, 'title'),
  page: (reader) => errorPage(code, reader),
})

const failureOf = (code: FailureCode, { errorCodesOf }: Site): Found => ({
  title: failurePart(code, 'short'),
  page: (reader) => failurePage(code, errorCodesOf(code), reader),
})

function wayBack({ texts: { t }, frame, workspaceId }: Reader): Html {
  const dashboard = workspaceId === undefined ? '/dashboard/' : `/dashboard/w/${workspaceId}/overview`
  return html`<p class="back">${
    frame.servesDashboard && html`<a href="${dashboard}">${t('page_problems.dashboard')}</a>`
  }<a href="/problems">${t('page_problems.all')}</a></p>
`
}

function errorPage(code: ApiErrorCode, { texts: { t, textOf } }: Reader): Html {
  const { status, owner } = apiErrors[code]
  const part = (name: 'title' | 'cause' | 'fix'): string => textOf(apiErrorText(code, name))
  return html`<h1>${part('title')}</h1>
<p class="kind"><code>${code}</code> · ${t('page_problems.http_status', { status })}</p>
<dl>
<dt>${t('page_problems.why')}</dt><dd>${prose(part('cause'))}</dd>
<dt>${t('page_problems.who')}</dt><dd>${t(`page_problems.owner_${owner}`)}</dd>
<dt>${t('page_problems.what')}</dt><dd>${withGuideLinks(part('fix'))}</dd>
</dl>
<p class="soft">${prose(t('page_problems.correlation', { most: REJECTIONS_LOGGED_PER_SECOND.others }))}</p>`
}

function failurePage(code: FailureCode, providerCodes: readonly string[], reader: Reader): Html {
  const { t, textOf } = reader.texts
  const { owner, anotherChannel } = failureCodes[code]
  return html`<h1>${textOf(failurePart(code, 'short'))}</h1>
<p class="kind"><code>${code}</code></p>
<p>${prose(t('page_problems.failure_lead'))}</p>
<dl>
<dt>${t('page_problems.why')}</dt><dd>${textOf(failurePart(code, 'cause'))}</dd>
<dt>${t('page_problems.who')}</dt><dd>${t(`page_problems.owner_${owner}`)}</dd>
<dt>${t('page_problems.what')}</dt><dd>${textOf(failurePart(code, 'fix'))}</dd>
<dt>${t('page_problems.channel_question')}</dt><dd>${t(`page_problems.channel_${anotherChannel}_sentence`)}</dd>
${
  providerCodes.length > 0 &&
  html`<dt>${t('page_problems.provider_codes')}</dt><dd>${providerCodes.join(', ')}</dd>
`
}</dl>
${messagesLink(code, reader)}<p class="soft">${prose(t('page_problems.explain'))}</p>`
}

/** Without the workspace, the dashboard opens the person's first one. */
function messagesLink(code: FailureCode, { texts: { t }, frame, isSignedIn, workspaceId }: Reader): Html | undefined {
  if (!frame.servesDashboard || !isSignedIn) return undefined
  const list = workspaceId === undefined ? 'messages' : `w/${workspaceId}/messages`
  return html`<p><a class="action" href="/dashboard/${list}?failureCode=${code}">${t('page_problems.messages')}</a></p>
`
}

/** Links the guides that the text names. */
const withGuideLinks = (text: string): Html[] =>
  text
    .split(/(\/docs\/guides\/[a-z-]+)/)
    .flatMap((part) => (part.startsWith('/docs/guides/') ? [html`<a href="${part}">${part}</a>`] : prose(part)))

const noPage = ({ texts: { t } }: Reader): Html => html`<h1>${t('page_problems.none_title')}</h1>
<p>${t('page_problems.none')} <a href="/problems">${t('page_problems.all')}</a></p>`

function index({ texts: { t, textOf } }: Reader): Html {
  const head = (...codes: readonly Extract<TextCode, `page_problems.${string}`>[]): Html[] =>
    codes.map((code) => html`<th scope="col">${textOf({ code } as unknown as CodedText)}</th>`)
  const codes = Object.keys(apiErrors)
    .filter(isApiErrorCode)
    .toSorted((one, other) => apiErrors[one].status - apiErrors[other].status)
  return html`<h1>${t('page_problems.index_title')}</h1>
<p>${prose(t('page_problems.index_lead'))}</p>
<div class="scroll"><table>
<thead><tr>${head('page_problems.status', 'page_problems.meaning')}</tr></thead>
<tbody>${codes.map(
    (code) =>
      html`<tr><td>${apiErrors[code].status}</td><td>${named(code, textOf(apiErrorText(code, 'title')))}</td></tr>`,
  )}</tbody>
</table></div>
<h2 id="failures">${t('page_problems.failures_title')}</h2>
<p>${prose(t('page_problems.failures_lead'))}</p>
<p>${t('page_problems.channel_question')}</p>
<ul>${(['yes', 'later', 'no'] as const).map((answer) => html`<li>${t(`page_problems.channel_${answer}_sentence`)}</li>`)}</ul>
<div class="scroll folds"><table>
<thead><tr>${head('page_problems.meaning', 'page_problems.who', 'page_problems.channel', 'page_problems.why')}</tr></thead>
<tbody>${FAILURE_CODES.map((code) => {
    const { owner, anotherChannel } = failureCodes[code]
    return html`<tr><td>${named(code, textOf(failurePart(code, 'short')))}</td><td data-title="${t('page_problems.who')}">${t(`page_problems.short_${owner}`)}</td><td data-title="${t('page_problems.channel')}">${t(`page_problems.channel_${anotherChannel}`)}</td><td>${textOf(failurePart(code, 'cause'))}</td></tr>`
  })}</tbody>
</table></div>`
}

const named = (code: string, title: string): Html =>
  html`<a href="/problems/${code}">${title}</a><br> <code class="soft">${code}</code>`
