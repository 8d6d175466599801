import { notifications } from '@mantine/notifications'
import { useEffect, useState } from 'react'
import { copyText } from '@doorcode/whatsapp-emulator/phone/copy-text.ts'
import { useTexts } from '../texts/use-texts.ts'

const SHOWN_MS = 2_000
/** Long enough to copy a text by hand. It may be a secret, so it does not stay. */
const BY_HAND_MS = 60_000

/** The function returns whether the text was copied. If not, it shows the text, to be copied by hand. */
export function useCopyText(): (text: string) => Promise<boolean> {
  const { t } = useTexts()
  return async (text) => {
    const isCopied = await copyText(text)
    if (!isCopied) notifications.show({ message: t('page_shell.not_copied', { text }), autoClose: BY_HAND_MS })
    return isCopied
  }
}

/** `copied` is true for a moment after a copy. */
export function useCopy(text: string): { copied: boolean; copy: () => Promise<boolean> } {
  const copyOrShow = useCopyText()
  const [copies, setCopies] = useState(0)
  useEffect(() => {
    if (copies === 0) return
    const timer = setTimeout(() => setCopies(0), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [copies])
  const copy = async (): Promise<boolean> => {
    const isCopied = await copyOrShow(text)
    if (isCopied) setCopies((before) => before + 1)
    return isCopied
  }
  return { copied: copies > 0, copy }
}
