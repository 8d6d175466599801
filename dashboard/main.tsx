import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import './ui/shell/fonts.css'
import './ui/shell/page.css'
import arabicFont from '@fontsource-variable/vazirmatn/files/vazirmatn-arabic-wght-normal.woff2'
import { PhoneTexts } from '@doorcode/whatsapp-emulator/phone/texts.ts'
import { DirectionProvider, MantineProvider } from '@mantine/core'
import { Notifications, notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode, useEffect, useMemo, useState } from 'react'
import { preload } from 'react-dom'
import { createRoot } from 'react-dom/client'
import { type Language, type Translator, directionOf, translatorWithCommands } from '../locales/text.ts'
import { api, queryClient } from './api.ts'
import { appRouter } from './pages.tsx'
import { initialLanguage, saveLanguage } from './texts/language.ts'
import { loadFirstTranslator, loadTranslator } from './texts/load.ts'
import { TextsContext } from './texts/use-texts.ts'
import { numberFormat } from './texts/formats.ts'
import { readableColours, themeIn } from './ui/shell/theme.ts'

/** How the instance was started: until someone has signed in, no page names a command. */
const programOfInstance = (): string => queryClient.getQueryData(api.session.current.queryKey())?.program ?? 'doorcode'

function Dashboard({ first }: { first: Translator }) {
  const [translator, setTranslator] = useState(first)
  const { language } = translator
  const direction = directionOf(language)
  useEffect(() => {
    document.documentElement.lang = language
    document.documentElement.dir = direction
  }, [language, direction])
  useEffect(() => {
    // After an upgrade, the scripts that an open page has not loaded yet are gone.
    const tell = () =>
      void notifications.show({ id: 'not-loaded', message: translator.t('page_shell.not_loaded'), autoClose: false })
    addEventListener('vite:preloadError', tell)
    return () => removeEventListener('vite:preloadError', tell)
  }, [translator])
  const texts = useMemo(
    () => ({
      ...translatorWithCommands(translator, programOfInstance),
      n: (value: number) => numberFormat(language).format(value),
      async choose(chosen: Language): Promise<void> {
        saveLanguage(chosen)
        setTranslator(await loadTranslator(chosen))
      },
    }),
    [translator, language],
  )
  return (
    <TextsContext value={texts}>
      <PhoneTexts value={translator}>
        <DirectionProvider initialDirection={direction}>
          <MantineProvider theme={themeIn(texts.t)} cssVariablesResolver={readableColours} defaultColorScheme="auto">
            <Notifications />
            <QueryClientProvider client={queryClient}>
              <RouterProvider router={appRouter} />
            </QueryClientProvider>
          </MantineProvider>
        </DirectionProvider>
      </PhoneTexts>
    </TextsContext>
  )
}

const root = document.getElementById('root')
if (root) {
  const language = initialLanguage()
  // Latin letters, which every language shows, are preloaded by index.html.
  if (language === 'ar') preload(arabicFont, { as: 'font', type: 'font/woff2', crossOrigin: '' })
  const first = await loadFirstTranslator(language)
  createRoot(root).render(
    <StrictMode>
      <Dashboard first={first} />
    </StrictMode>,
  )
}
