import { useSearch } from '@tanstack/react-router'
import { useWords } from '../words.ts'
import { Frame } from './frame.tsx'
import { SignInForm } from './sign-in-form.tsx'
import { sessionWords } from './words.ts'

export function SignIn() {
  const text = useWords(sessionWords)
  const { back } = useSearch({ from: '/sign-in' })
  return (
    <Frame title={text.signIn}>
      <SignInForm onDone={() => location.assign(`/dashboard${back ?? '/'}`)} />
    </Frame>
  )
}
