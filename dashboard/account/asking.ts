import { useState } from 'react'
import { type SignInAnswer, askSignIn, queries } from '../api.ts'
import { refusalIn } from '../session/refusal.ts'
import { sessionWords } from '../session/words.ts'
import { useWords } from '../words.ts'

/** A sign-in call of somebody who is signed in: what it says no with, and whether it is under way. */
export function useAsking() {
  const { refusals } = useWords(sessionWords)
  const [problem, setProblem] = useState<string>()
  const [busy, setBusy] = useState(false)
  const ask = async (path: string, body: object): Promise<SignInAnswer> => {
    setBusy(true)
    setProblem(undefined)
    const answer = await askSignIn(path, body)
    setBusy(false)
    if (!answer.ok) setProblem(refusalIn(answer, refusals))
    else void queries.invalidateQueries() // the session, its events, the second factor: all may have changed
    return answer
  }
  return { problem, busy, ask }
}
