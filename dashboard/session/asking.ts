import { useState } from 'react'
import { type SignInAnswer, askSignIn } from '../api.ts'
import { useWords } from '../words.ts'
import { refusalIn } from './refusal.ts'
import { sessionWords } from './words.ts'

/** A sign-in call: what it says no with, and whether it is under way. */
export function useAsking(onAnswer: () => void = () => {}) {
  const { refusals } = useWords(sessionWords)
  const [problem, setProblem] = useState<string>()
  const [busy, setBusy] = useState(false)
  const ask = async (path: string, body: object): Promise<SignInAnswer> => {
    setBusy(true)
    setProblem(undefined)
    const answer = await askSignIn(path, body)
    setBusy(false)
    if (answer.ok) onAnswer()
    else setProblem(refusalIn(answer, refusals))
    return answer
  }
  return { problem, busy, ask }
}
