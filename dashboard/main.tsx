import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import './ui/page.css'
import { DirectionProvider, MantineProvider } from '@mantine/core'
import { ModalsProvider } from '@mantine/modals'
import { Notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode, useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { answerIn, queries } from './api.ts'
import { pages } from './pages.tsx'
import { readableColours, themeIn } from './ui/theme.ts'
import { LanguageContext, directionOf, firstLanguage, keepLanguage, type Language } from './words.ts'

function Dashboard() {
  const [language, setLanguage] = useState<Language>(firstLanguage)
  const direction = directionOf(language)
  useEffect(() => {
    document.documentElement.lang = language
    document.documentElement.dir = direction
  }, [language, direction])
  const choose = (chosen: Language): void => {
    keepLanguage(chosen)
    answerIn(chosen)
    setLanguage(chosen)
  }
  return (
    <LanguageContext value={{ language, choose }}>
      <DirectionProvider key={direction} initialDirection={direction} detectDirection={false}>
        <MantineProvider theme={themeIn(language)} cssVariablesResolver={readableColours} defaultColorScheme="auto">
          <ModalsProvider>
            <Notifications />
            <QueryClientProvider client={queries}>
              <RouterProvider router={pages} />
            </QueryClientProvider>
          </ModalsProvider>
        </MantineProvider>
      </DirectionProvider>
    </LanguageContext>
  )
}

const root = document.getElementById('root')
if (root) {
  createRoot(root).render(
    <StrictMode>
      <Dashboard />
    </StrictMode>,
  )
}
