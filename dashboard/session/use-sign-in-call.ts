import { useState } from 'react'
import { type SignInAnswer, callSignIn } from '../api.ts'
import { useTexts } from '../texts/use-texts.ts'
import { errorText } from './error-text.ts'

/** A sign-in call with its error and pending state. */
export function useSignInCall(onAnswer: () => void = () => {}) {
  const { t } = useTexts()
  const [problem, setProblem] = useState<string>()
  const [busy, setBusy] = useState(false)
  const call = async (path: string, body: object): Promise<SignInAnswer> => {
    setBusy(true)
    setProblem(undefined)
    const answer = await callSignIn(path, body)
    setBusy(false)
    if (answer.ok) onAnswer()
    else setProblem(errorText(answer, t))
    return answer
  }
  return { problem, busy, call }
}
