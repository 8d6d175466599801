import { useSearch } from '@tanstack/react-router'
import { useTexts } from '../texts/use-texts.ts'
import { Frame } from './frame.tsx'
import { SignInForm } from './sign-in-form.tsx'

export function SignIn() {
  const { t } = useTexts()
  const { back } = useSearch({ from: '/sign-in' })
  return (
    <Frame title={t('page_session.sign_in')}>
      <SignInForm onDone={() => location.assign(`/dashboard${back ?? '/'}`)} />
    </Frame>
  )
}
