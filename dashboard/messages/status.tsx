import { Text, VisuallyHidden } from '@mantine/core'
import { MarkBadge } from '../timeline/timeline.tsx'
import { statusMark } from '../timeline/marks.ts'
import { useWords } from '../words.ts'
import type { Listed, Status } from './search.ts'
import { messageWords } from './words.ts'

/** In a word and a colour. */
export const MessageStatus = ({ status }: { status: Status }) => <MarkBadge mark={statusMark(status)} />

const PURPOSES = {
  template: 'purposeTemplate',
  reminder: 'purposeReminder',
  day_question: 'purposeDay',
  time_question: 'purposeTime',
  reasons_question: 'purposeReasons',
  note_prompt: 'purposeNote',
  closing: 'purposeClosing',
} as const satisfies Record<NonNullable<Listed['purpose']>, keyof typeof messageWords.en>

/** What a message is for: without a purpose in a conversation it carries a code. */
export function MessageKind({ message }: { message: Pick<Listed, 'check' | 'purpose'> }) {
  const text = useWords(messageWords)
  if (!message.purpose) return text.otp
  return (
    <>
      <span style={{ whiteSpace: 'nowrap' }}>
        {message.check === 'refusal' ? text.ofRefusal : text.ofConfirmation}
        <VisuallyHidden component="span">: </VisuallyHidden>
      </span>
      <Text size="xs" c="dimmed">
        {text[PURPOSES[message.purpose]]}
      </Text>
    </>
  )
}
