import type { Source } from '@doorcode/whatsapp-emulator/phone/source.ts'
import { useMemo } from 'react'
import { phoneSource } from '../api.ts'
import { useTexts } from '../texts/use-texts.ts'
import { faultSentence } from '../ui/form/faults.ts'
import { useWorkspace } from '../ui/workspace.ts'

/** The workspace's emulator, for a phone that a page shows. */
export function usePhoneSource(): Source {
  const texts = useTexts()
  const { workspaceId } = useWorkspace()
  return useMemo(
    () =>
      phoneSource(workspaceId, {
        textOf: texts.textOf,
        sentenceOf: (fault) => faultSentence(texts.t('page_chats.phone_number'), fault, texts),
      }),
    [workspaceId, texts],
  )
}
