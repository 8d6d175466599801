import { Text, Title } from '@mantine/core'
import type { Answers } from '../api.ts'
import { Time } from '../ui/time.tsx'
import { useWords } from '../words.ts'
import { Chosen } from './reschedule.tsx'
import { confirmationWords } from './words.ts'

type Answer = Answers['confirmations']['get']['answers'][number]

const ANSWERS: Readonly<Record<string, keyof typeof confirmationWords.en>> = {
  confirmed: 'answerConfirmed',
  cancelled: 'answerCancelled',
  reschedule_started: 'answerRescheduleStarted',
  day_chosen: 'answerDayChosen',
  range_chosen: 'answerRangeChosen',
  rescheduled: 'answerRescheduled',
  refused: 'answerRefused',
  denied: 'answerDenied',
  other_chosen: 'answerOtherChosen',
  refusal_confirmed: 'answerRefusalConfirmed',
}

/** Every answer ever given; the last one of each check is in force. */
export function AnswerHistory({ answers }: { answers: readonly Answer[] }) {
  const text = useWords(confirmationWords)
  return (
    <section>
      <Title order={2} size="h4" mb="xs">
        {text.answers}
      </Title>
      {answers.length === 0 && <Text size="sm">{text.noAnswers}</Text>}
      <ol style={{ margin: 0, paddingInlineStart: '1.25rem' }}>
        {answers.map(({ check, answer, detail, answeredAt }, index) => (
          <li key={`${answeredAt} ${index}`} style={{ marginBlockEnd: '0.5rem' }}>
            <Text size="sm">
              {check === 'refusal' ? text.refusal : text.confirmation}:{' '}
              <strong>{text[ANSWERS[answer] ?? 'answer']}</strong>
            </Text>
            <Detail answer={answer} detail={detail} />
            <Text size="xs" c="dimmed">
              <Time at={answeredAt} />
            </Text>
          </li>
        ))}
      </ol>
    </section>
  )
}

function Detail({ answer, detail }: Pick<Answer, 'answer' | 'detail'>) {
  const { reschedule, reason, note } = detail ?? {}
  if (reschedule && answer !== 'reschedule_started') {
    return (
      <Text size="sm">
        <Chosen reschedule={reschedule} />
      </Text>
    )
  }
  const told = [reason, note && `“${note}”`].filter(Boolean)
  return (
    told.length > 0 && (
      <Text size="sm">
        <bdi>{told.join(' · ')}</bdi>
      </Text>
    )
  )
}
