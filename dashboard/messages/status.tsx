import { Text } from '@mantine/core'
import { useTexts } from '../texts/use-texts.ts'
import type { ListedMessage } from './search.ts'

const PURPOSES = {
  template: 'template',
  reminder: 'reminder',
  day_question: 'day',
  time_question: 'time',
  reasons_question: 'reasons',
  note_prompt: 'note',
  closing: 'closing',
} as const satisfies Record<NonNullable<ListedMessage['purpose']>, string>

/** What a message is for: without a purpose in a conversation it carries a code. */
export function MessageKind({
  message: { verification, ...message },
}: {
  message: Pick<ListedMessage, 'check' | 'purpose'> & Partial<Pick<ListedMessage, 'verification'>>
}) {
  const { t } = useTexts()
  if (verification)
    return (
      <>
        {t('page_messages.verification')}
        {' · '}
        <Text span inherit c="dimmed">
          {t(`page_messages.verification_${verification}`)}
        </Text>
      </>
    )
  if (!message.purpose) return t('page_messages.otp')
  return (
    <>
      <span style={{ whiteSpace: 'nowrap' }}>
        {message.check === 'refusal' ? t('page_messages.of_refusal') : t('page_messages.of_confirmation')}
      </span>
      {' · '}
      <Text span inherit c="dimmed">
        {t(`page_messages.purpose_${PURPOSES[message.purpose]}`)}
      </Text>
    </>
  )
}
