import { Alert, Anchor, List } from '@mantine/core'
import { type ReactNode, useEffect, useReducer, useRef } from 'react'
import { faultsOf } from '../../api.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Failed } from '../fallback.tsx'
import { type Labels, focusField } from './faults.ts'

type Props = {
  /** Complete sentences, by the path of the wrong field. */
  errors: Readonly<Record<string, ReactNode>>
  /** The form's fields in their order, which show their own errors. */
  labels: Labels
  /** Why the form's call failed. */
  failed?: unknown
}

/**
 * At the top of a form: why it was not accepted. When the answer comes, the summary takes the focus. If only one field is
 * wrong, that field shows its error and takes the focus.
 */
export function FormErrors({ errors, labels, failed }: Props) {
  const place = useRef<HTMLDivElement>(null)
  const isSubmitted = useSubmitted(place)
  const order = Object.keys(labels)
  const entries = Object.entries(errors)
    .filter(([, sentence]) => Boolean(sentence))
    .toSorted(([one], [other]) => order.indexOf(one) - order.indexOf(other))
  const [first] = entries
  const only = entries.length === 1 && first && first[0] in labels ? first[0] : undefined
  const isRejected = Boolean(failed) && faultsOf(failed).length === 0
  useEffect(() => {
    if (!isSubmitted.current || (entries.length === 0 && !isRejected)) return
    isSubmitted.current = false
    if (only === undefined || isRejected) place.current?.focus()
    else focusField(only, formOf(place))
  })
  return (
    <div ref={place} tabIndex={-1} hidden={!isRejected && (entries.length === 0 || only !== undefined)}>
      {isRejected && <Failed error={failed} />}
      {only === undefined && entries.length > 0 && (
        <ErrorSummary
          errors={entries.map(([path, sentence]) => ({
            path,
            sentence: labels[path] ?? sentence, // a field says its own error
            hasField: path in labels,
          }))}
          onGoTo={(path) => focusField(path, formOf(place))}
        />
      )}
    </div>
  )
}

const formOf = (place: { current: HTMLElement | null }): ParentNode => place.current?.closest('form') ?? document

/** Whether the form was submitted and not edited since: only then do its errors answer the submission. */
function useSubmitted(place: { current: HTMLElement | null }): { current: boolean } {
  const isSubmitted = useRef(false)
  const [, look] = useReducer((count: number) => count + 1, 0)
  useEffect(() => {
    const submitted = ({ target }: Event): void => {
      if (target !== formOf(place)) return
      isSubmitted.current = true
      look() // the same errors as before render nothing again
    }
    const typed = ({ target }: Event): void => {
      if (target instanceof Node && formOf(place).contains(target)) isSubmitted.current = false
    }
    // This listens on the document, because the form's own handler has already run there.
    document.addEventListener('submit', submitted)
    document.addEventListener('input', typed)
    return () => {
      document.removeEventListener('submit', submitted)
      document.removeEventListener('input', typed)
    }
  }, [place])
  return isSubmitted
}

type SummaryError = { path: string; sentence: ReactNode; hasField: boolean }

/** The errors of a form as a list that leads to its fields. */
export function ErrorSummary({ errors, onGoTo }: { errors: readonly SummaryError[]; onGoTo: (path: string) => void }) {
  const { t } = useTexts()
  return (
    <Alert color="failure" title={t('page_shell.errors', { count: errors.length })}>
      <List size="sm" listStyleType="none" spacing={4}>
        {errors.map(({ path, sentence, hasField }) => (
          <List.Item key={path}>
            {hasField ? (
              <Anchor
                component="button"
                type="button"
                inherit
                c="inherit"
                ta="start"
                underline="always"
                onClick={() => onGoTo(path)}
              >
                {sentence}
              </Anchor>
            ) : (
              sentence
            )}
          </List.Item>
        ))}
      </List>
    </Alert>
  )
}
