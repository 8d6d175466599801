import './page.css'
import { StrictMode, useCallback, useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'
import type { Pair } from '../chats.ts'
import { Phone } from '../phone.tsx'
import { twinSource } from '../source.ts'
import { useScreen } from '../use-screen.ts'
import { type Language, LANGUAGES, PHONE_WORDS, PhoneLanguage, directionOf } from '../words.ts'
import { FirstMessage } from './first-message.tsx'
import { Posts } from './posts.tsx'
import { TimeMachine } from './time-machine.tsx'
import { useTwinClock } from './use-time.ts'

const LANGUAGE_KEPT_AS = 'twin-language'
const source = twinSource()

/** The phones of a twin that runs by itself, its time, and what it tells the business. */
function TwinPage() {
  const [language, setLanguage] = useState<Language>(firstLanguage)
  const [selected, setSelected] = useState<Pair | undefined>(pairInAddress)
  const phone = useScreen(source)
  const clock = useTwinClock(phone.screen.time)
  const words = PHONE_WORDS[language]
  useEffect(() => {
    document.documentElement.lang = language
    document.documentElement.dir = directionOf(language)
    document.title = words.twinTitle
  }, [language, words])
  const select = useCallback((pair: Pair | undefined) => {
    setSelected(pair)
    history.replaceState(null, '', pair ? `#${new URLSearchParams(pair).toString()}` : location.pathname)
  }, [])
  const change = (): void => {
    const other = language === 'en' ? 'ar' : 'en'
    localStorage.setItem(LANGUAGE_KEPT_AS, other)
    setLanguage(other)
  }
  return (
    <PhoneLanguage value={language}>
      <header className="top">
        <div>
          <h1>{words.twinTitle}</h1>
          <p>{words.twinAbout}</p>
        </div>
        <button type="button" lang={language === 'en' ? 'ar' : 'en'} onClick={change}>
          {words.language}
        </button>
      </header>
      <main className="panes">
        <div className="phone">
          {phone.screen.told > 0 && ![...phone.screen.chats.values()].some(({ entries }) => entries.length > 0) && (
            <FirstMessage screen={phone.screen} />
          )}
          <Phone phone={phone} language={language} clock={clock} selected={selected} onSelect={select} />
        </div>
        <div className="side">
          <TimeMachine screen={phone.screen} selected={selected} clock={clock} />
          <Posts posts={phone.screen.posts} />
        </div>
      </main>
    </PhoneLanguage>
  )
}

function firstLanguage(): Language {
  const kept = localStorage.getItem(LANGUAGE_KEPT_AS)
  return LANGUAGES.find((each) => each === kept) ?? (navigator.language.startsWith('ar') ? 'ar' : 'en')
}

function pairInAddress(): Pair | undefined {
  const address = new URLSearchParams(location.hash.slice(1))
  const [phone, number] = [address.get('phone'), address.get('number')]
  return phone && number ? { phone, number } : undefined
}

const root = document.getElementById('root')
if (root) {
  createRoot(root).render(
    <StrictMode>
      <TwinPage />
    </StrictMode>,
  )
}
