import './page.css'
import { StrictMode, useCallback, useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'
import {
  LANGUAGES,
  LANGUAGE_NAMES,
  type Language,
  type Translator,
  createTranslator,
  directionOf,
} from '../../../../locales/text.ts'
import type { Pair } from '../../src/wire/chats.ts'
import { Phone } from '../phone.tsx'
import { Select } from '../select.tsx'
import { emulatorSource } from '../source.ts'
import { PhoneTexts } from '../texts.ts'
import { useNewestChat, useScreen } from '../use-screen.ts'
import { FirstMessage } from './first-message.tsx'
import { Posts } from './posts.tsx'
import { EmulatorTimeMachine, useEmulatorClock } from './emulator-time.tsx'

const LANGUAGE_KEY = 'emulator-language'

function EmulatorPage({ first }: { first: Translator }) {
  const [translator, setTranslator] = useState(first)
  const { t, language } = translator
  const [selected, setSelected] = useState<Pair | undefined>(pairInAddress)
  const phone = useScreen(emulatorSource)
  const clock = useEmulatorClock(phone.screen.time)
  useEffect(() => {
    document.documentElement.lang = language
    document.documentElement.dir = directionOf(language)
    document.title = t('page_emulator.emulator_title')
  }, [language, t])
  const select = useCallback((pair: Pair | undefined) => {
    setSelected(pair)
    history.replaceState(null, '', pair ? `#${new URLSearchParams(pair).toString()}` : location.pathname)
  }, [])
  useNewestChat(phone, selected, select)
  const choose = (chosen: string): void => {
    const language = LANGUAGES.find((each) => each === chosen) ?? 'en'
    localStorage.setItem(LANGUAGE_KEY, language)
    void loadTranslator(language).then(setTranslator)
  }
  return (
    <PhoneTexts value={translator}>
      <header className="top">
        <div>
          <h1>{t('page_emulator.emulator_title')}</h1>
          <p>{t('page_emulator.emulator_about')}</p>
        </div>
        <Select
          aria-label={t('page_emulator.language')}
          value={language}
          onChange={({ currentTarget }) => choose(currentTarget.value)}
        >
          {LANGUAGES.map((each) => (
            <option key={each} value={each} lang={each}>
              {LANGUAGE_NAMES[each]}
            </option>
          ))}
        </Select>
      </header>
      <main className="panes">
        <div className="phone">
          <FirstMessage screen={phone.screen} />
          <Phone phone={phone} clock={clock} selected={selected} onSelect={select} />
        </div>
        <div className="side">
          <EmulatorTimeMachine screen={phone.screen} selected={selected} clock={clock} />
          <Posts posts={phone.screen.posts} />
        </div>
      </main>
    </PhoneTexts>
  )
}

const files = import.meta.glob<Record<string, string>>(
  '../../../../locales/*/page_{chats,emulator,time_machine}.json',
  { import: 'default' },
)

async function loadTranslator(language: Language): Promise<Translator> {
  const own = Object.entries(files).filter(([file]) => file.includes(`/${language}/`))
  const texts = await Promise.all(
    own.map(async ([file, load]) => [file.replace(/^.*\/(\w+)\.json$/, '$1'), await load()]),
  )
  return createTranslator(language, { [language]: Object.fromEntries(texts) })
}

function initialLanguage(): Language {
  const stored = localStorage.getItem(LANGUAGE_KEY)
  return LANGUAGES.find((each) => each === (stored ?? navigator.language.slice(0, 2))) ?? 'en'
}

function pairInAddress(): Pair | undefined {
  const address = new URLSearchParams(location.hash.slice(1))
  const [phone, number] = [address.get('phone'), address.get('number')]
  return phone && number ? { phone, number } : undefined
}

const root = document.getElementById('root')
if (root) {
  const first = await loadTranslator(initialLanguage())
  createRoot(root).render(
    <StrictMode>
      <EmulatorPage first={first} />
    </StrictMode>,
  )
}
