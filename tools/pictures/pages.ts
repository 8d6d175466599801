import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { SECTIONS } from '../../dashboard/ui/navigation/sections.ts'
import type { PlainCode, Translator } from '../../locales/text.ts'
import { type Demo, find } from './demo.ts'

/** What one picture shows. */
export type Subject = {
  /** `page`, or `page: what is open on it`. */
  name: string
  /** Undefined: the demo has nothing to show here. */
  address: string | undefined
  signedOut?: boolean
  /** Not a page of the dashboard: it is complete when it has loaded. */
  plain?: boolean
  /** Opens it, as a person does. */
  open?: (page: Page, t: Translator['t']) => Promise<void>
  /** Only at this width, such as the menu of a narrow screen. */
  width?: number
}

export async function listSubjects(demo: Demo): Promise<Subject[]> {
  const { pages, url, workspaceId } = demo
  const { token } = await demo.calls.people.invite.mutate({ workspaceId, email: 'omar@shop.example', role: 'admin' })
  const at = await findExamples(demo) // with the invitation's audit entry
  const emulator = find(demo.text, /WhatsApp emulator\s+(\S+)/)[1]
  const [empty, filling] = [await openSandbox(demo, 'Empty shop'), await openSandbox(demo, 'New shop')]
  await demo.calls.phone.fill.mutate({ workspaceId: filling.workspaceId })
  return subjectsIn({ pages, url, token, at, emulator, empty, filling })
}

type Places = {
  pages: string
  url: string
  /** Of an invitation. */
  token: string
  at: Record<Example, string | undefined>
  emulator: string | undefined
  empty: { pages: string }
  filling: { pages: string }
}

/** A new page is complete only with a row here; `findForgotten` looks for the others. */
function subjectsIn({ pages, url, token, at, emulator, empty, filling }: Places): Subject[] {
  return [
    { name: 'sign-in', address: `${url}/dashboard/sign-in`, signedOut: true },
    { name: 'welcome', address: `${url}/dashboard/welcome#${token}`, signedOut: true },
    {
      name: 'welcome: faults',
      address: `${url}/dashboard/welcome#${token}`,
      signedOut: true,
      open: pressed('page_session.begin'),
    },
    { name: 'new-workspace', address: `${url}/dashboard/new-workspace` },
    ...SECTIONS.map(({ to }) => to.replace('/w/$workspaceId/', '')).map((name) => ({
      name,
      address: `${pages}/${name}`,
    })),
    { name: 'overview: being filled', address: `${filling.pages}/overview` },
    { name: 'overview: empty', address: `${empty.pages}/overview` },
    { name: 'messages: empty', address: `${empty.pages}/messages` },
    { name: 'confirmations: empty', address: `${empty.pages}/confirmations` },
    { name: 'overview: menu', address: `${pages}/overview`, open: pressed('page_shell.menu'), width: 390 },
    { name: 'overview: account menu', address: `${pages}/overview`, open: clicked('[data-account]') },
    { name: 'overview: palette', address: `${pages}/overview`, open: openPalette },
    { name: 'messages: dates', address: `${pages}/messages`, open: pressed('page_shell.dates'), width: 1280 },
    { name: 'messages: filters', address: `${pages}/messages`, open: pressed('page_list.filters'), width: 390 },
    { name: 'messages: nothing', address: `${pages}/messages?text=nothing-like-this` },
    { name: 'message', address: at.message },
    { name: 'message: failed', address: at.failedMessage },
    { name: 'message: of an order', address: at.orderMessage },
    { name: 'confirmation', address: at.confirmation },
    { name: 'confirmation: rescheduled', address: at.rescheduled },
    {
      name: 'phone: new customer',
      address: `${pages}/phone`,
      open: pressed('page_chats.back', 'page_chats.new_customer'),
      width: 390,
    },
    { name: 'phone: clock', address: `${pages}/phone?tab=clock` },
    { name: 'senders: connect', address: `${pages}/senders`, open: pressed('page_senders.connect') },
    { name: 'senders: credentials', address: `${pages}/senders`, open: pressed('page_senders.renew') },
    { name: 'template', address: at.template },
    { name: 'template: not usable', address: at.unusableTemplate },
    { name: 'new-template', address: `${pages}/templates/new` },
    { name: 'cod-settings: reminders', address: `${pages}/cod-settings?tab=reminders` },
    { name: 'cod-settings: texts', address: `${pages}/cod-settings?tab=texts` },
    { name: 'blocked: add', address: `${pages}/blocked`, open: pressed('page_blocked.add') },
    { name: 'blocked: import', address: `${pages}/blocked`, open: pressed('page_blocked.import') },
    { name: 'keys: create', address: `${pages}/keys`, open: pressed('page_keys.create') },
    { name: 'hooks: create', address: `${pages}/hooks`, open: pressed('page_hooks.create') },
    { name: 'endpoints: add', address: `${pages}/endpoints`, open: pressed('page_endpoints.add') },
    { name: 'endpoint', address: at.endpoint },
    { name: 'endpoint: edit', address: at.endpoint, open: pressedInMenu('page_endpoints.edit') },
    { name: 'endpoint: delivery', address: at.delivery },
    { name: 'people: invite', address: `${pages}/people`, open: pressed('page_people.invite') },
    { name: 'audit: entry', address: at.auditEntry },
    { name: 'account', address: `${pages}/account` },
    { name: 'account: second factor', address: `${pages}/account`, open: pressed('page_account.turn_on') },
    { name: 'not-found', address: `${pages}/nothing-here` },
    { name: 'start', address: url, plain: true },
    { name: 'reference', address: `${url}/docs`, plain: true },
    { name: 'guides', address: `${url}/docs/guides`, plain: true },
    { name: 'problems', address: `${url}/problems`, plain: true },
    { name: 'emulator', address: emulator },
  ]
}

/** `endpoint: edit` is taken with the page `endpoint`. */
export const pageOf = ({ name }: Subject): string => name.split(':')[0] ?? name

/** Known before the demo has started. */
export function namesOfPages(): string[] {
  const nowhere = { pages: '' }
  const at = {} as Places['at']
  const subjects = subjectsIn({ ...nowhere, url: '', token: '', at, emulator: '', empty: nowhere, filling: nowhere })
  return [...new Set(subjects.map(pageOf))]
}

/** Another sandbox, with an account on the emulator and nothing sent. */
async function openSandbox({ calls, url }: Demo, name: string): Promise<{ workspaceId: string; pages: string }> {
  const { workspaceId } = await calls.workspaces.create.mutate({ name, sandbox: true })
  await calls.phone.connect.mutate({ workspaceId })
  return { workspaceId, pages: `${url}/dashboard/w/${workspaceId}` }
}

/** One of each thing that the demo has. */
async function findExamples({ calls, workspaceId, pages }: Demo): Promise<Record<Example, string | undefined>> {
  const inList = { workspaceId, text: '', template: null, senderId: null, cursor: null }
  const ofMessages = { ...inList, status: null, kind: null }
  const [codes, failed, ofOrders, confirmations, rescheduled, templates, unusable, endpoints, audit] =
    await Promise.all([
      calls.messages.list.query({ ...ofMessages, kind: 'otp', status: 'read' }),
      calls.messages.list.query({ ...ofMessages, status: 'failed' }),
      calls.messages.list.query({ ...ofMessages, kind: 'cod', status: 'read' }),
      calls.confirmations.list.query({ ...inList, status: 'confirmed' }),
      calls.confirmations.list.query({ ...inList, status: 'rescheduled' }),
      calls.templates.list.query({ workspaceId, use: 'confirmation' }),
      calls.templates.list.query({ workspaceId, use: 'none' }),
      calls.endpoints.list.query({ workspaceId }),
      calls.auditLog.list.query({ workspaceId, of: 'workspace' }),
    ])
  const endpointId = endpoints.endpoints[0]?.endpointId
  const deliveries = endpointId && (await calls.endpoints.deliveries.query({ workspaceId, endpointId }))
  const inPages = (folder: string, id: string | undefined): string | undefined => id && `${pages}/${folder}${id}`
  const templatePath = (template: (typeof templates)['templates'][number] | undefined): string | undefined =>
    template && `${template.accountId}/${template.name}/${template.language}`
  return {
    message: inPages('messages/', codes.rows[0]?.id),
    failedMessage: inPages('messages/', failed.rows[0]?.id),
    orderMessage: inPages('messages/', ofOrders.rows[0]?.id),
    confirmation: inPages('confirmations/', confirmations.rows[0]?.id),
    rescheduled: inPages('confirmations/', rescheduled.rows[0]?.id),
    template: inPages('templates/', templatePath(templates.templates[0])),
    unusableTemplate: inPages('templates/', templatePath(unusable.templates[0])),
    endpoint: inPages('endpoints/', endpointId),
    delivery: inPages(`endpoints/${endpointId}?delivery=`, deliveries ? deliveries.rows[0]?.deliveryId : undefined),
    auditEntry: inPages('audit?entry=', audit.entries[0]?.id),
  }
}

type Example =
  | 'message'
  | 'failedMessage'
  | 'orderMessage'
  | 'confirmation'
  | 'rescheduled'
  | 'template'
  | 'unusableTemplate'
  | 'endpoint'
  | 'delivery'
  | 'auditEntry'

/** How long to look for what opens a dialog. */
const OPENER_TIMEOUT_MS = 4_000

/** Presses the first button or link with each of these texts. */
const pressed =
  (...codes: PlainCode[]) =>
  async (page: Page, t: Translator['t']) => {
    for (const code of codes) {
      const text = (t as (code: PlainCode) => string)(code)
      const named = page.getByRole('button', { name: text }).or(page.getByRole('link', { name: text }))
      await click(page, named.first(), `“${text}”`)
    }
  }

/** The same in the page's menu of actions. */
const pressedInMenu = (code: PlainCode) => async (page: Page, t: Translator['t']) => {
  await click(page, page.locator('main [aria-haspopup=menu]').first(), 'menu')
  const text = (t as (code: PlainCode) => string)(code)
  await click(page, page.getByRole('menuitem', { name: text }).first(), `“${text}”`)
}

/** Its scripts are loaded when it is opened first. */
async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press('Control+K')
  await page.getByRole('dialog').waitFor()
}

const clicked = (selector: string) => (page: Page) => click(page, page.locator(selector).first(), selector)

async function click(page: Page, opener: ReturnType<Page['locator']>, what: string): Promise<void> {
  await opener.click({ timeout: OPENER_TIMEOUT_MS }).catch(() => {
    throw new Error(`${new URL(page.url()).pathname} has no ${what} that can be clicked.`)
  })
}

const ROUTES = path.resolve(import.meta.dirname, '../../dashboard/pages.tsx')

/** Pages of a workspace that no subject shows. */
export async function findForgotten(subjects: readonly Subject[]): Promise<string[]> {
  const text = await readFile(ROUTES, 'utf8')
  const routes = [...text.matchAll(/inWorkspace\('([^']+)'\)/g)].map(
    ([, route = '']) => `/dashboard/w/*${route.replaceAll(/\$\w+/g, '*')}`,
  )
  const shown = subjects.flatMap(({ address }) => (address === undefined ? [] : [new URL(address).pathname]))
  return routes.filter((route) => !shown.some((pathname) => path.matchesGlob(pathname, route)))
}
