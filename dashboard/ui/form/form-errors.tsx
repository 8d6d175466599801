import { Alert, Anchor } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { useTexts } from '../../texts/use-texts.ts'

/** At the top of a form: how many errors its fields show. It leads to the first, and takes the focus there when they come. */
export function FormErrors({ count }: { count: number }) {
  const { t } = useTexts()
  const place = useRef<HTMLDivElement>(null)
  const toFirst = (): void =>
    place.current?.closest('form')?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  useEffect(() => {
    if (count > 0) toFirst()
  }, [count])
  return (
    <div ref={place} role="status">
      {count > 0 && (
        <Alert color="failure" py="xs">
          <Anchor component="button" type="button" onClick={toFirst}>
            {t('page_shell.errors', { count })}
          </Anchor>
        </Alert>
      )}
    </div>
  )
}
