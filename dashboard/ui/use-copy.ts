import { notifications } from '@mantine/notifications'
import { useEffect, useState } from 'react'
import { copyText } from '@doorcode/whatsapp-emulator/phone/copy-text.ts'
import { useTexts } from '../texts/use-texts.ts'

const SHOWN_MS = 2_000

/** `copy` returns whether it worked, and otherwise shows the text to copy by hand, until that is closed. `copied` stays true for a moment. */
export function useCopy(text: string): { copied: boolean; copy: () => Promise<boolean> } {
  const { t } = useTexts()
  const [copies, setCopies] = useState(0)
  useEffect(() => {
    if (copies === 0) return
    const timer = setTimeout(() => setCopies(0), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [copies])
  const copy = async (): Promise<boolean> => {
    const works = await copyText(text)
    if (works) setCopies((before) => before + 1)
    else notifications.show({ message: t('page_shell.not_copied', { text }), autoClose: false })
    return works
  }
  return { copied: copies > 0, copy }
}
