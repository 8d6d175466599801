import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { type RouterOutputs, api, queryClient } from '../api.ts'
import { useWorkspace } from '../ui/workspace.ts'

export type Erasure = RouterOutputs['recipients']['erase']['erasure']

/** Erases step by step. If the page closes, the rest stays, and the next run finishes it. */
export function useErase(phone: string) {
  const { workspaceId } = useWorkspace()
  const [erasure, setErasure] = useState<Erasure>()
  const step = useMutation(api.recipients.erase.mutationOptions())
  const run = useMutation({
    async mutationFn(keepBlock: boolean) {
      let erasure: Erasure | undefined
      let messages = 0
      let isNothing = true
      do {
        const next: RouterOutputs['recipients']['erase'] = await step.mutateAsync({
          workspaceId,
          phone,
          keepBlock,
          erasure,
        })
        erasure = next.erasure
        setErasure(erasure)
        messages += next.erased.messages
        isNothing &&= Object.values(next.erased).every((count) => count === 0)
      } while (erasure.stage !== 'done')
      const { finishesEarlier, pseudonym } = erasure
      return { messages, isNothing, finishesEarlier, pseudonym }
    },
    onSettled: () => queryClient.invalidateQueries(),
  })
  return { run, erasure: run.isPending ? erasure : undefined }
}
