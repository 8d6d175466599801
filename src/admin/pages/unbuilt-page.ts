import { inEnglish, translatorOf } from '../../../locales/resources.ts'
import { type Html, html, page, prose } from '../../lib/http/html.ts'
import { type CodedText, LANGUAGES, type Translator, directionOf } from '../../../locales/text.ts'

export const BUILD_FAILED = 'the dashboard pages could not be built'

/** Causes by the error's message, which is never shown, and how to fix each. */
const REASONS: readonly (readonly [pattern: RegExp, cause: CodedText, fix: CodedText])[] = [
  [/ENOSPC|EDQUOT|no space left/i, { code: 'server_pages.disk_full' }, { code: 'server_pages.make_room' }],
  [/EACCES|EROFS|EPERM/, { code: 'server_pages.locked' }, { code: 'server_pages.unlock', folder: '`dashboard/dist`' }],
  [
    /MODULE_NOT_FOUND|cannot find (module|package)/i,
    { code: 'server_pages.incomplete' },
    { code: 'server_pages.install', command: '`npm ci`' },
  ],
  [/(?:)/, { code: 'server_pages.other_fault' }, { code: 'server_pages.look_in_log', logged: BUILD_FAILED }],
]

/** The page when the build failed. It shows no details of the server. */
export function unbuiltPage(error: unknown): string {
  const [, ...reason] = REASONS.find(([pattern]) => pattern.test(messageOf(error))) ?? []
  const lines: CodedText[] = [{ code: 'server_pages.when_built' }, ...reason, { code: 'server_pages.after_repair' }]
  return page(inEnglish(TITLE), html`${LANGUAGES.map((language) => inLanguage(translatorOf(language), lines))}`)
}

const TITLE: CodedText = { code: 'server_pages.page_title' }

const inLanguage = ({ language, textOf }: Translator, lines: readonly CodedText[]): Html => html`
<section lang="${language}" dir="${directionOf(language)}">
<h1>${textOf(TITLE)}</h1>
${lines.map((line) => html`<p>${prose(textOf(line))}</p>`)}
</section>`

const messageOf = (error: unknown): string =>
  error instanceof Error ? `${String(Reflect.get(error, 'code') ?? '')} ${error.message}` : String(error)
