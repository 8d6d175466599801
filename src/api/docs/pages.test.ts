import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import Fastify from 'fastify'
import { z } from 'zod'
import { apiErrorText, apiErrors, isApiErrorCode } from '../../lib/errors.ts'
import { eventTypes } from '../../events/event-types.ts'
import { otpBody } from '../../otp/routes.ts'
import { FAILURE_CODES, failureCodes, failurePart, isFailureCode } from '../../providers/failure-codes.ts'
import { errorCodesOf } from '../../providers/whatsapp/errors.ts'
import { startDemo } from '../../../test/world/http-server.ts'
import { html, prose } from '../../lib/http/html.ts'
import { readResources, translatorOf } from '../../../locales/resources.ts'
import { LANGUAGES, LANGUAGE_COOKIE, directionOf } from '../../../locales/text.ts'
import { searchGuides } from './guide-search.ts'
import { GUIDES_PATH, INDEX, createGuides, guidePath } from './guides.ts'
import { markdownPathOf } from './markdown.ts'
import type { ApiDocument } from './openapi.ts'
import { servePages } from './pages.ts'

const CODES = [...Object.keys(apiErrors), ...FAILURE_CODES]
const { names: GUIDES, find: findGuide } = await createGuides()
const PAGES = ['/', '/docs', '/problems', ...GUIDES.map(guidePath), ...CODES.map((code) => `/problems/${code}`)]

test('every error and failure has a page in each language, with title, code, cause and remedy; an unknown code has none', async (t) => {
  const demo = await startDemo(t)
  assert.equal(new Set(CODES).size, CODES.length)
  for (const language of LANGUAGES) {
    const { textOf } = translatorOf(language)
    const index = (await demo.inject({ url: `/problems?lang=${language}` })).body
    for (const code of CODES) {
      const { statusCode, body, headers } = await demo.inject({ url: `/problems/${code}?lang=${language}` })
      assert.equal(statusCode, 200)
      assert.equal(headers['content-type'], 'text/html; charset=utf-8')
      assert.ok(body.includes(`<html lang="${language}" dir="${directionOf(language)}">`), code)
      assert.ok(body.includes(`<code>${code}</code>`), code)
      const texts = isFailureCode(code)
        ? (['short', 'cause', 'fix'] as const).map((part) => failurePart(code, part))
        : isApiErrorCode(code)
          ? (['title', 'cause', 'fix'] as const).map((part) => apiErrorText(code, part))
          : assert.fail(code)
      for (const [part, text] of texts.map(textOf).entries()) {
        const [beginning] = prose(text.split('/docs/')[0] ?? '')
        assert.ok(body.includes(beginning?.html ?? 'none'), `${language} ${code}: ${text}`)
        if (part === 0) assert.ok(index.includes(`>${beginning?.html}</a>`), `${language} ${code}: ${text}`)
      }
      assert.ok(index.includes(`href="/problems/${code}"`), code)
    }
  }
  for (const code of ['NOPE', 'toString', '__proto__', '%00', '<script>']) {
    const response = await demo.inject({ url: `/problems/${encodeURIComponent(code)}` })
    assert.equal(response.statusCode, 404)
    assert.equal(response.body.includes('<script'), false)
  }
})

test('the page of a failure says who must act, and whether to use another channel', async (t) => {
  const demo = await startDemo(t)
  const { t: english } = translatorOf('en')
  for (const code of FAILURE_CODES) {
    const { owner, anotherChannel } = failureCodes[code]
    const { body } = await demo.inject({ url: `/problems/${code}` })
    assert.match(body, owner === 'client' ? /the program that calls the API/ : /The operator of this instance/)
    assert.ok(body.includes(english(`page_problems.channel_${anotherChannel}_sentence`)), code)
  }
})

test('a page is in the language of its address, else of the reader’s choice, else of the browser, else in English', async (t) => {
  const demo = await startDemo(t)
  const languageOf = async (url: string, headers: Record<string, string> = {}) => {
    const { body, headers: answered } = await demo.inject({ url, headers })
    return { language: /<html lang="(\w+)"/.exec(body)?.[1], kept: answered['set-cookie'] }
  }
  const cookie = `other=1; ${LANGUAGE_COOKIE}=ar`
  for (const url of [
    '/',
    '/docs',
    '/docs/guides',
    '/docs/guides/webhooks',
    '/problems',
    '/problems/NOT_FOUND',
    '/problems/NOPE',
  ]) {
    assert.equal((await languageOf(url)).language, 'en', url)
    assert.equal((await languageOf(url, { 'accept-language': 'de, fr-MA;q=0.8, ar;q=0.5' })).language, 'fr', url)
    assert.equal((await languageOf(url, { 'accept-language': 'fr', cookie })).language, 'ar', url)
    assert.equal((await languageOf(`${url}?lang=fr`, { cookie })).language, 'fr', url)
    for (const wrong of ['de', '', '__proto__', '"><script>'])
      assert.equal((await languageOf(`${url}?lang=${encodeURIComponent(wrong)}`, { cookie })).language, 'ar', url)
  }
  const own = await languageOf('/problems?lang=fr', { 'sec-fetch-site': 'same-origin' })
  assert.match(String(own.kept), new RegExp(`^${LANGUAGE_COOKIE}=fr; Path=/; Max-Age=\\d+; SameSite=Lax$`))
  const foreign = await languageOf('/problems?lang=fr', { 'sec-fetch-site': 'cross-site' })
  assert.equal(foreign.kept, undefined, 'a link of another site does not change the choice')
  for (const url of ['/problems/NOT_FOUND.md', '/problems.md', '/index.md', `${GUIDES_PATH}.md`])
    assert.equal((await demo.inject({ url, headers: { cookie } })).body, (await demo.inject({ url })).body, url)
})

test('a page writes commands as the operator of this instance calls the program', async (t) => {
  const [checkout, image] = [Fastify(), Fastify()]
  t.after(() => Promise.all([checkout.close(), image.close()]))
  servePages(checkout, () => assert.fail(), { program: 'npm run -s doorcode --' })
  servePages(image, () => assert.fail(), {})
  for (const [app, command] of [
    [checkout, 'npm run -s doorcode -- sender list'],
    [image, 'doorcode sender list'],
  ] as const)
    for (const language of LANGUAGES) {
      const { body } = await app.inject(`/problems/OTP_SENDER_NOT_FOUND?lang=${language}`)
      assert.ok(body.includes(`<code>${command} `), language)
    }
})

test('the page of a failure leads a signed-in reader to the messages with its code, and back to their workspace', async (t) => {
  const demo = await startDemo(t, { servesDashboard: true })
  const workspace = SENDER
  const url = `/problems/TEMPLATE_PAUSED?workspace=${workspace}`
  const get = async (url: string, cookie = '') => (await demo.inject({ url, headers: { cookie } })).body
  for (const cookie of ['doorcode.session_token=any', 'a=b; __Secure-doorcode.session_token=any']) {
    const body = await get(url, cookie)
    assert.ok(body.includes(`href="/dashboard/w/${workspace}/messages?failureCode=TEMPLATE_PAUSED"`))
    assert.ok(body.includes(`href="/dashboard/w/${workspace}/overview"`))
    assert.ok(body.includes(`href="?workspace=${workspace}&amp;lang=ar"`), 'another language keeps the workspace')
    assert.match(
      await get('/problems/TEMPLATE_PAUSED', cookie),
      /href="\/dashboard\/messages\?failureCode=TEMPLATE_PAUSED"/,
    )
  }
  assert.doesNotMatch(await get(url), /failureCode=/)
  for (const wrong of ['1', '"><script>', `${workspace}/../..`]) {
    const body = await get(
      `/problems/TEMPLATE_PAUSED?workspace=${encodeURIComponent(wrong)}`,
      'doorcode.session_token=any',
    )
    assert.match(body, /href="\/dashboard\/messages\?failureCode=/)
    assert.doesNotMatch(body, /<script/)
  }
  assert.doesNotMatch(await get('/problems/RATE_LIMITED', 'doorcode.session_token=any'), /failureCode=/)
})

test('every link of a page leads somewhere', async (t) => {
  const demo = await startDemo(t)
  for (const url of PAGES) {
    const { body } = await demo.inject({ url })
    for (const [, target = ''] of body.matchAll(/href="([^"]*)"/g)) {
      if (target.startsWith('?')) assert.equal((await demo.inject({ url: url + target })).statusCode, 200, url)
      else if (target.startsWith('#')) assert.ok(body.includes(`id="${target.slice(1)}"`), `${url} → ${target}`)
      else if (target.startsWith('/'))
        assert.equal((await demo.inject({ url: target })).statusCode, 200, `${url} → ${target}`)
    }
  }
})

test('every page is also served as Markdown, and llms.txt leads to all of them', async (t) => {
  const demo = await startDemo(t)
  const list = await demo.inject({ url: '/llms.txt' })
  assert.match(String(list.headers['content-type']), /^text\/plain/)
  const listed = Array.from(list.body.matchAll(/\]\(([^)]+)\)/g), ([, target = '']) => target)
  for (const target of listed) assert.equal((await demo.inject({ url: target })).statusCode, 200, target)
  for (const path of PAGES) {
    const url = markdownPathOf(path)
    const { statusCode, headers, body } = await demo.inject({ url })
    assert.equal(statusCode, 200, url)
    assert.equal(headers['content-type'], 'text/markdown; charset=utf-8')
    assert.match(body, /^# /, url)
    const prose = body.replaceAll(/```[^]*?```|`[^`\n]*`/g, 'code')
    assert.doesNotMatch(prose, /(?<!\\)<\/?[a-z]|&[a-z]+;/, url)
    assert.doesNotMatch(prose, /\n{3}/, url)
    for (const [, target = ''] of prose.matchAll(/\]\((\/[^)]*)\)/g))
      assert.equal((await demo.inject({ url: target })).statusCode, 200, `${url} → ${target}`)
    if (path !== '/') assert.ok(listed.includes(url), url)
  }
  for (const url of ['/problems/NOPE.md', '/problems/.md', '/problems/RATE_LIMITED.md.md'])
    assert.equal((await demo.inject({ url })).statusCode, 404, url)
})

test('the Markdown of a page has its text, its tables and its code', async (t) => {
  const demo = await startDemo(t)
  const markdown = async (url: string): Promise<string> => (await demo.inject({ url })).body
  const { cause, fix } = apiErrors.IDEMPOTENCY_KEY_REUSED
  const problem = await markdown('/problems/IDEMPOTENCY_KEY_REUSED.md')
  for (const text of [cause, fix]) assert.ok(problem.includes(text), text)
  const guide = await markdown(`${GUIDES_PATH}/cod-settings.md`)
  const source = await readFile(new URL('../../../docs/cod-settings.md', import.meta.url), 'utf8')
  const rows = source.split('\n').filter((line) => line.startsWith('| `'))
  assert.ok(rows.length > 10)
  for (const row of rows) assert.ok(guide.includes(row), row)
  for (const [, code = ''] of source.matchAll(/^```\w*\n([^]*?)^```$/gm)) assert.ok(guide.includes(code), code)
  const reference = await markdown('/docs.md')
  const { paths, webhooks, components } = (await demo.inject({ url: '/openapi.json' })).json<
    Document & { components: { schemas: object } }
  >()
  for (const [path, methods] of Object.entries(paths))
    for (const method of Object.keys(methods))
      assert.ok(reference.includes(`\n### ${method.toUpperCase()} ${path}\n`), path)
  for (const name of [...Object.keys(webhooks), ...Object.keys(components.schemas)])
    assert.ok(reference.includes(`\n### ${name}\n`), name)
  for (const [, name = ''] of reference.matchAll(/\]\(#(\w+)\)/g))
    assert.match(reference, new RegExp(`^### ${name}$`, 'im'))
})

test('the front page describes the instance, and every page links to a served dashboard', async (t) => {
  const [without, withDashboard] = [await startDemo(t), await startDemo(t, { servesDashboard: true })]
  for (const part of ['one-time codes', 'cash-on-delivery']) {
    assert.ok((await without.inject({ url: '/' })).body.includes(part), part)
  }
  assert.doesNotMatch((await without.inject({ url: '/' })).body, /dashboard/)
  for (const url of ['/', '/docs', '/problems', '/problems/RECIPIENT_UNREACHABLE'])
    assert.match((await withDashboard.inject({ url })).body, /href="\/dashboard\/"/)
})

test('a page is found with a slash behind its name as well', async (t) => {
  const demo = await startDemo(t)
  for (const url of ['/docs', '/problems']) {
    const [plain, slashed] = [await demo.inject({ url }), await demo.inject({ url: `${url}/` })]
    assert.equal(slashed.statusCode, 200)
    assert.equal(slashed.body, plain.body)
  }
})

test('every page except the reference may load only its own style and font', async (t) => {
  const demo = await startDemo(t)
  for (const url of PAGES.filter((each) => each !== '/docs')) {
    const { body, headers } = await demo.inject({ url })
    const style = /<style>([^]*?)<\/style>/.exec(body)?.[1] ?? assert.fail('no style')
    const hash = createHash('sha256').update(style).digest('base64')
    assert.match(String(headers['content-security-policy']), /^default-src 'none';/)
    assert.ok(String(headers['content-security-policy']).includes(`style-src 'sha256-${hash}'`))
    assert.doesNotMatch(body, /<script|<img|<link|style="| on\w+="/)
    const fonts = Array.from(style.matchAll(/url\("([^"]+)"\)/g), ([, font = '']) => font)
    assert.equal(fonts.length, 2)
    for (const font of fonts) assert.equal((await demo.inject({ url: font })).headers['content-type'], 'font/woff2')
  }
})

test('text in a page is always escaped', () => {
  assert.equal(html`<p>${`<b a="'">&`}</p>`.html, '<p>&lt;b a=&quot;&#39;&quot;&gt;&amp;</p>')
  assert.equal(html`${prose('a `<b>` c')}`.html, 'a <code>&lt;b&gt;</code> c')
})

type Response = { content?: Record<string, { examples?: object }>; $ref?: string }

type Document = {
  paths: Record<string, Record<string, { responses: Record<string, Response> }>>
  webhooks: object
  components: { responses: Record<string, Response> }
}

const resolve = ({ components }: Document, response: Response | undefined): Response | undefined =>
  response?.$ref === undefined ? response : components.responses[response.$ref.split('/').at(-1) ?? '']

type Examples = Record<string, { value: { detail: string; errors?: { detail: string }[] } }>

test('the example of a problem with fixed details is what a request gets', async (t) => {
  const demo = await startDemo(t, { fail: () => new Error('a fault of ours') })
  const document = (await demo.inject({ url: '/openapi.json' })).json<Document>()
  const { responses } = document.paths['/api/v1/failing']?.['get'] ?? assert.fail('no route')
  const exampleOf = (status: string, code: string) =>
    (resolve(document, responses[status])?.content?.['application/problem+json']?.examples as Examples | undefined)?.[
      code
    ]?.value.detail
  const authorization = await demo.newKey()
  const url = '/api/v1/failing'
  const got = async (headers: Record<string, string>) =>
    (await demo.inject({ url, headers })).json<{ detail: string }>().detail
  assert.equal(exampleOf('401', 'API_KEY_INVALID'), await got({ authorization: `Bearer ${'x'.repeat(60)}` }))
  assert.equal(exampleOf('500', 'INTERNAL_ERROR'), await got({ authorization }))
  for (let asked = 0; asked < 19; asked += 1) await got({ authorization })
  assert.equal(exampleOf('429', 'RATE_LIMITED'), await got({ authorization }))
})

test('the OpenAPI document describes every route, its statuses and every event', async (t) => {
  const demo = await startDemo(t)
  const response = await demo.inject({ url: '/openapi.json' })
  const document = response.json<Document>()
  assert.deepEqual(Object.keys(document.webhooks), Object.keys(eventTypes))
  assert.deepEqual(Object.keys(document.paths), ['/api/v1/things/{id}', '/api/v1/lenient', '/api/v1/failing'])
  assert.deepEqual(Object.keys(document.paths['/api/v1/things/{id}'] ?? {}), ['post', 'get'])
  for (const operation of Object.values(document.paths).flatMap((methods) => Object.values(methods))) {
    const problems = Object.entries(operation.responses).filter(([status]) => Number(status) >= 400)
    assert.deepEqual(
      problems.map(([status]) => status),
      ['401', '422', '429', '500', '503'],
    )
    for (const [status, response] of problems) {
      const { content } = resolve(document, response) ?? {}
      const examples = Object.keys(content?.['application/problem+json']?.examples ?? {})
      assert.ok(examples.length > 0)
      for (const code of examples) assert.equal(String(apiErrors[code as keyof typeof apiErrors].status), status)
    }
  }
})

test('the description of a recipient says that it must not be empty', async () => {
  const { properties } = z.toJSONSchema(otpBody, { io: 'input' })
  const to = properties?.['to']
  assert.ok(typeof to === 'object')
  assert.deepEqual([to.minLength, to.type], [1, 'string'])
  assert.match(to.description ?? '', /leading \+/)
})

test('every guide that an error or a finding names is a page of the instance', async (t) => {
  const texts = [JSON.stringify(apiErrors), ...LANGUAGES.map((language) => JSON.stringify(readResources(language)))]
  const named = new Set(texts.flatMap((text) => text.match(/\/docs\/guides\/[a-z-]+/g) ?? []))
  assert.ok(named.size > 2)
  for (const text of texts) assert.doesNotMatch(text, /docs\/[a-z-]+\.md/, 'no text names a file that is not served')
  const demo = await startDemo(t)
  for (const url of named) assert.equal((await demo.inject({ url })).statusCode, 200, url)
})

test('a guide shows its headings, tables and code, and nothing in it runs or loads', async (t) => {
  const demo = await startDemo(t)
  for (const name of GUIDES) {
    const { statusCode, body } = await demo.inject({ url: guidePath(name) })
    assert.equal(statusCode, 200, name)
    assert.doesNotMatch(
      body.replaceAll(/<pre tabindex="0">[^]*?<\/pre>|<code>[^]*?<\/code>/g, ''),
      /\]\(|<script|<img|<!--|```/,
      name,
    )
    assert.equal(body.split('<h1>').length, 2, name)
  }
  const { body } = await demo.inject({ url: '/docs/guides/webhooks' })
  assert.match(body, /<h3 id="by-hand-in-php">By hand in PHP<\/h3>/)
  assert.match(body, /<th scope="col">/)
  assert.match(body, /<a href="\/docs\/guides\/troubleshooting#events-that-cannot-be-read-yet">/)
})

test('a link to a heading of a guide leads to that heading', async () => {
  const guides = new Map(
    await Promise.all(GUIDES.map(async (name) => [guidePath(name), await findGuide(name)] as const)),
  )
  for (const [path, guide] of guides)
    for (const [, target = '', anchor = ''] of guide?.page.html.matchAll(/href="(\/docs\/guides[^"#]*)?#([^"]+)"/g) ??
      []) {
      const { sections = [] } = guides.get(target || path) ?? {}
      assert.ok(
        sections.some((section) => section.anchor === anchor),
        `${path} → ${target}#${anchor}`,
      )
    }
})

test('the search finds the section that answers a question, and bounds what it reads and shows', async (t) => {
  const guides = await Promise.all(GUIDES.map(async (name) => (await findGuide(name)) ?? assert.fail(name)))
  const QUESTIONS = {
    'How do I verify a webhook in PHP?': '/docs/guides/webhooks#by-hand-in-php',
    'What does RECIPIENT_UNREACHABLE mean?': '/docs/guides/failure-codes',
    'How do I rotate the instance key?': '/docs/guides/key-rotation',
    'How do I run two nodes?': '/docs/guides/operations#several-nodes',
    'How do I send a code from Node.js?': '/docs/guides/quickstart-codes',
    'Where do I find the Sender ID?': '/docs/guides/connect-whatsapp',
    'How do I test without WhatsApp?': '/docs/guides/demo',
    'How do I erase the data of a customer?': '/docs/guides/personal-data',
    'How do I replace an API key?': '/docs/guides/api#replacing-a-key',
    'How do I upgrade?': '/docs/guides/upgrading',
    'nginx reverse proxy': '/docs/guides/reverse-proxy',
    'replace the instance key': '/docs/guides/key-rotation',
    quarantine: '/docs/guides/troubleshooting#quarantine',
    'coming from twilio': '/docs/guides/coming-from',
    'SMS fallback': '/docs/guides/otp#fallback',
    pgbouncer: '/docs/guides/pgbouncer',
    GDPR: '/docs/guides/personal-data',
    RGPD: '/docs/guides/personal-data',
    privacy: '/docs/guides/personal-data',
    'right to be forgotten': '/docs/guides/personal-data',
    'delete customer data': '/docs/guides/personal-data',
    'customer asks for deletion': '/docs/guides/personal-data',
    'forget customer': '/docs/guides/personal-data',
    certbot: '/docs/guides/reverse-proxy',
    'template not approved': '/docs/guides/failure-codes',
    template_not_approved: '/docs/guides/failure-codes',
    'quiet hours of reminders': '/docs/guides/cod-settings',
    'messages per second': '/docs/guides/capacity-planning',
    'requests per second': '/docs/guides/capacity-planning',
    'hardware requirements': '/docs/guides/capacity-planning',
    duplicate: '/docs/guides/api#idempotency',
    'exactly once': '/docs/guides/api#idempotency',
    retry: '/docs/guides/api#idempotency',
    'repeated request only one message': '/docs/guides/api#idempotency',
    '131026': '/docs/guides/failure-codes',
    '133010': '/docs/guides/connect-whatsapp#register-the-number',
  }
  for (const [question, path] of Object.entries(QUESTIONS)) {
    const first = searchGuides(guides, question).slice(0, 3)
    assert.ok(
      first.some((found) => found.path === path),
      `${question}: ${JSON.stringify(first)}`,
    )
  }
  assert.equal(searchGuides(guides, 'verify webhook PHP')[0]?.path, '/docs/guides/webhooks#by-hand-in-php')
  assert.equal(searchGuides(guides, 'doorcode').length, 20)
  assert.deepEqual(searchGuides(guides, ''), [])
  assert.deepEqual(searchGuides(guides, `${' '.repeat(100)}webhook`), [], 'only the first 100 characters count')
  const demo = await startDemo(t)
  const { body, headers } = await demo.inject({ url: `${GUIDES_PATH}?q=${encodeURIComponent('"><script>webhook')}` })
  assert.doesNotMatch(body, /<script/)
  assert.match(body, /href="\/docs\/guides\/webhooks/)
  assert.match(String(headers['content-security-policy']), /form-action 'self'/)
  assert.match((await demo.inject({ url: `${GUIDES_PATH}?q=qqqqzzzz` })).body, /No heading or text has these words/)
  const code = (await demo.inject({ url: `${GUIDES_PATH}?q=${encodeURIComponent('what is recipient_unreachable?')}` }))
    .body
  assert.match(code, /href="\/problems\/RECIPIENT_UNREACHABLE"/, 'a code leads to its page')
  for (const url of ['nope', INDEX, '__proto__', '..%2Fpackage', 'nope.md'])
    assert.equal((await demo.inject({ url: `${GUIDES_PATH}/${url}` })).statusCode, 404, url)
})

test('a hit of the search shows a short line of its text without Markdown, with a word of the query if it has one', async () => {
  const guides = await Promise.all(GUIDES.map(async (name) => (await findGuide(name)) ?? assert.fail(name)))
  for (const query of ['webhook', 'idempotency key', 'postgresql', '131026', 'doorcode serve', 'gdpr'])
    for (const { path, excerpt } of searchGuides(guides, query)) {
      assert.ok(excerpt.length <= 164, `${path}: ${excerpt}`)
      assert.doesNotMatch(excerpt, /\]\(|`|\n|^\||\*\*/, path)
    }
  const [hit] = searchGuides(guides, 'RECIPIENT_UNREACHABLE 131026')
  assert.match(hit?.excerpt ?? '', /RECIPIENT_UNREACHABLE|131026/)
})

test('a code of WhatsApp leads to the failure that it becomes, whose page lists its codes', async (t) => {
  const demo = await startDemo(t, { errorCodesOf })
  const found = (await demo.inject({ url: `${GUIDES_PATH}?q=131026` })).body
  assert.match(found, /href="\/problems\/RECIPIENT_UNREACHABLE"/)
  assert.match((await demo.inject({ url: '/problems/RECIPIENT_UNREACHABLE' })).body, /<dd>130472, 131026<\/dd>/)
  assert.match((await demo.inject({ url: '/problems/RECIPIENT_UNREACHABLE.md' })).body, /130472, 131026/)
  assert.doesNotMatch((await demo.inject({ url: '/problems/SUBMISSION_EXPIRED' })).body, /error codes/)
  const { body } = await demo.inject({ url: `${GUIDES_PATH}/whatsapp-cloud-api` })
  assert.match(body, /<a href="\/problems\/RECIPIENT_UNREACHABLE"><code>RECIPIENT_UNREACHABLE<\/code><\/a>/)
})

test('what a guide names outside the instance has its path in the repository beside it, as HTML and as Markdown', async () => {
  const index = (await findGuide(INDEX)) ?? assert.fail()
  for (const [label, file] of [
    ['Examples', 'examples/README.md'],
    ['The WhatsApp emulator', 'packages/whatsapp-emulator/README.md'],
    ['Architecture', 'ARCHITECTURE.md'],
    ['decisions', 'docs/decisions'],
    ['statements.sql', 'docs/statements.sql'],
  ] as const) {
    assert.ok(index.page.html.includes(`${label} (<code>${file}</code> in the repository)`), label)
    assert.ok(index.source.includes(`${label} (\`${file}\` in the repository)`), label)
  }
})

test('the reference leads to the search of the guides', async (t) => {
  const demo = await startDemo(t)
  const { info } = (await demo.inject({ url: '/openapi.json' })).json<{ info: { description: string } }>()
  assert.match(info.description, /\[Search the guides\]\(https:\/\/[^)]+\/docs\/guides\)/)
})

test('the OpenAPI document is written once for all requests, and once for all examples that a query brings', async (t) => {
  const app = Fastify()
  t.after(() => app.close())
  const example = { senderId: 'any', code: '1', template: { name: 'any', language: 'any' } }
  const written: string[] = []
  const document = {
    info: { title: '{1}' },
    paths: { example },
    toJSON(this: object, key: string) {
      written.push(key)
      return { ...this, toJSON: undefined }
    },
  }
  servePages(app, () => document as unknown as ApiDocument, {})
  for (const language of ['en', 'fr', 'ar'])
    for (const query of ['', `?sender=${SENDER}&template=a_code&language=${language}`]) {
      const { paths } = (await app.inject(`/openapi.json${query}`)).json<typeof document>()
      const template = { name: 'a_code', language }
      assert.deepEqual(paths.example, query ? { ...example, senderId: SENDER, template } : example)
    }
  assert.equal(written.length, 2)
})

const SENDER = '0199f1a2-0000-7000-8000-000000000001'

test('a guide is read and rendered once for all requests', async () => {
  for (const name of GUIDES) assert.equal(await findGuide(name), await findGuide(name))
})
