import { type Html, html, page, prose } from '../http/html.ts'
import { LANGUAGES, type Language, type Sentence, sentences } from '../sentences.ts'

const said = sentences({
  title: {
    en: 'The pages of the dashboard could not be built',
    ar: 'تعذّر بناء صفحات لوحة التحكم',
  },
  when: {
    en: 'Doorcode builds the pages of its dashboard once, when they are first opened after an installation or an upgrade. Everything else goes on without them.',
    ar: 'يبني Doorcode صفحات لوحة التحكم مرة واحدة، عند فتحها أول مرة بعد التثبيت أو الترقية. وكل ما عداها يستمر في العمل بدونها.',
  },
  after: {
    en: 'Then load this page again: the build is tried anew. The server’s log tells more.',
    ar: 'ثم أعد تحميل هذه الصفحة: ستُعاد محاولة البناء. وفي سجل الخادم تفاصيل أكثر.',
  },
})

const reasons = sentences({
  full: { en: 'The server’s disk is full.', ar: 'قرص الخادم ممتلئ.' },
  makeRoom: { en: 'Make room on it.', ar: 'أفرغ مساحة عليه.' },
  locked: {
    en: 'The server may write neither to the folder of its pages nor to the one for temporary files.',
    ar: 'لا يُسمح للخادم بالكتابة في مجلد صفحاته ولا في مجلد الملفات المؤقتة.',
  },
  unlock: {
    en: 'Let the user that runs Doorcode write to {folder} beside the program, or to the folder for temporary files.',
    ar: 'اسمح للمستخدم الذي يشغّل Doorcode بالكتابة في {folder} بجانب البرنامج، أو في مجلد الملفات المؤقتة.',
  },
  incomplete: { en: 'Packages of the program are missing.', ar: 'بعض حزم البرنامج مفقودة.' },
  install: { en: 'Run {command} in its folder.', ar: 'شغّل {command} في مجلده.' },
  other: { en: 'The build ended with a fault.', ar: 'انتهى البناء بخطأ.' },
  look: {
    en: 'Look for “{logged}” in the server’s log, and mend what it names.',
    ar: 'ابحث عن «{logged}» في سجل الخادم، وأصلح ما يذكره.',
  },
})

/** What is logged when the build failed. */
export const NOT_BUILT = 'the pages of the dashboard cannot be built'

/** Why, and what whoever runs the server can do about it. By what the error says, which is shown to nobody. */
const REASONS: readonly { says: RegExp; why: Sentence; mend: Sentence }[] = [
  { says: /ENOSPC|EDQUOT|no space left/i, why: reasons.full, mend: reasons.makeRoom },
  { says: /EACCES|EROFS|EPERM/, why: reasons.locked, mend: reasons.unlock({ folder: '`dashboard/dist`' }) },
  {
    says: /MODULE_NOT_FOUND|cannot find (module|package)/i,
    why: reasons.incomplete,
    mend: reasons.install({ command: '`npm ci`' }),
  },
]

const ANY_OTHER = { why: reasons.other, mend: reasons.look({ logged: NOT_BUILT }) }

/** For whoever opens the dashboard while its pages cannot be built. It says nothing of the machine. */
export function unbuiltPage(error: unknown): string {
  const { why, mend } = REASONS.find(({ says }) => says.test(textOf(error))) ?? ANY_OTHER
  const told = LANGUAGES.map((language) => inLanguage(language, [said.when, why, mend, said.after]))
  return page(said.title.en, html`${told}`)
}

const inLanguage = (language: Language, lines: readonly Sentence[]): Html => html`
<section lang="${language}" dir="${language === 'ar' ? 'rtl' : 'ltr'}">
<h1>${said.title[language]}</h1>
${lines.map((line) => html`<p>${prose(line[language])}</p>`)}
</section>`

const textOf = (error: unknown): string =>
  error instanceof Error ? `${String(Reflect.get(error, 'code') ?? '')} ${error.message}` : String(error)
