import type { FastifyReply, FastifyRequest } from 'fastify'
import { translatorOf } from '../../../locales/resources.ts'
import {
  LANGUAGES,
  LANGUAGE_COOKIE,
  type Language,
  type Translator,
  translatorWithCommands,
} from '../../../locales/text.ts'
import type { Frame } from '../../lib/http/html.ts'
import { isUuid } from '../../lib/ids.ts'
import type { Provider } from '../../providers/provider.ts'

/** What is the same for all pages. `program`: how the operator calls Doorcode. */
export type Site = { servesDashboard: boolean; program: string } & Pick<Provider, 'errorCodesOf'>

/** A person who reads a page in a browser. */
export type Reader = {
  texts: Translator
  frame: Frame
  /** Whether the browser has a session of the dashboard, which may have ended. */
  isSignedIn: boolean
  /** The workspace whose page led here. The dashboard checks whether the person may see it. */
  workspaceId: string | undefined
}

/** For Markdown, which programs read. */
export const ENGLISH_READER: Reader = {
  texts: translatorOf('en'),
  frame: {},
  isSignedIn: false,
  workspaceId: undefined,
}

/** The session cookie of src/admin/auth/auth.ts, which has a prefix where the dashboard is served by https. */
const SESSION_COOKIE = /(?:^|; ?)(?:__Secure-)?doorcode\.session_token=/

const YEAR_S = 365 * 86_400

/**
 * The reader of a page, in the language of `?lang`, else the one chosen in this browser, else the browser's own. A choice made on
 * one of our pages also holds for the next ones and for the dashboard.
 */
export function readReader(request: FastifyRequest, reply: FastifyReply, { program, servesDashboard }: Site): Reader {
  const { headers } = request
  const query = request.query as Record<string, unknown>
  const chosen = asLanguage(query['lang'])
  if (chosen && headers['sec-fetch-site'] === 'same-origin')
    reply.header('set-cookie', `${LANGUAGE_COOKIE}=${chosen}; Path=/; Max-Age=${YEAR_S}; SameSite=Lax`)
  const cookies = headers.cookie ?? ''
  const language = chosen ?? languageOfCookie(cookies) ?? preferredLanguage(headers['accept-language']) ?? 'en'
  const workspaceId =
    typeof query['workspace'] === 'string' && isUuid(query['workspace']) ? query['workspace'] : undefined
  return {
    texts: translatorWithCommands(translatorOf(language), () => program),
    frame: { servesDashboard, language, hrefIn: (other) => hrefIn(query, other) },
    isSignedIn: SESSION_COOKIE.test(cookies),
    workspaceId,
  }
}

const asLanguage = (value: unknown): Language | undefined => LANGUAGES.find((language) => language === value)

const languageOfCookie = (cookies: string): Language | undefined =>
  asLanguage(new RegExp(`(?:^|; ?)${LANGUAGE_COOKIE}=(\\w+)`).exec(cookies)?.[1])

/** Browsers name the languages in the order of preference. */
const preferredLanguage = (header = ''): Language | undefined =>
  header
    .split(',')
    .map((tag) => asLanguage(tag.trim().slice(0, 2).toLowerCase()))
    .find((language) => language !== undefined)

/** The address of the same page in another language. */
function hrefIn(query: Record<string, unknown>, language: Language): string {
  const others = Object.entries(query).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  return `?${new URLSearchParams({ ...Object.fromEntries(others), lang: language }).toString()}`
}
