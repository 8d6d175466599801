import { Text, Title } from '@mantine/core'
import { visibleText } from '../../locales/visible-text.ts'
import type { RouterOutputs } from '../api.ts'
import { useTexts, translateWord } from '../texts/use-texts.ts'
import { Time } from '../ui/time.tsx'
import { Chosen } from './reschedule.tsx'

type Answer = RouterOutputs['confirmations']['get']['answers'][number]

/** Every answer ever given; the last one of each check is in force. */
export function AnswerHistory({ answers }: { answers: readonly Answer[] }) {
  const texts = useTexts()
  const { t } = texts
  return (
    <section>
      <Title order={2} size="h4" mb="xs">
        {t('page_confirmations.answers')}
      </Title>
      {answers.length === 0 && <Text size="sm">{t('page_confirmations.no_answers')}</Text>}
      <ol style={{ margin: 0, paddingInlineStart: '1.25rem' }}>
        {answers.map(({ check, answer, detail, answeredAt }, index) => (
          <li key={`${answeredAt} ${index}`} style={{ marginBlockEnd: '0.5rem' }}>
            <Text size="sm">
              {check === 'refusal' ? t('page_confirmations.refusal') : t('page_confirmations.confirmation')}
              {t('page_shell.colon')}
              <strong>{translateWord(texts, 'page_confirmations.answer', answer)}</strong>
            </Text>
            <Detail answer={answer} detail={detail} />
            <Text size="xs" c="dimmed">
              <Time at={answeredAt} kind="workspace" />
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
  const details = [reason, note && `“${note}”`].filter(Boolean)
  return (
    details.length > 0 && (
      <Text size="sm">
        <bdi>{visibleText(details.join(' · '))}</bdi>
      </Text>
    )
  )
}
