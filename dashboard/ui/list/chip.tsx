import { Button, CloseButton } from '@mantine/core'
import { PlusIcon } from '@radix-ui/react-icons'
import type { ReactNode } from 'react'
import { useTexts } from '../../texts/use-texts.ts'

/** A filter as a button; `children` gives the button what it opens. */
export function Chip({
  label,
  value,
  onRemove,
  children,
}: {
  label: string
  value: string | undefined
  onRemove: () => void
  children: (target: ReactNode) => ReactNode
}) {
  const { t } = useTexts()
  const isSet = value !== undefined
  return (
    <Button.Group>
      {children(
        <Button
          size="compact-md"
          fw={500}
          variant={isSet ? 'light' : 'default'}
          leftSection={isSet ? undefined : <PlusIcon aria-hidden="true" />}
          style={isSet ? undefined : { borderStyle: 'dashed' }}
          aria-label={isSet ? undefined : t('page_shell.filter_add', { name: label })}
        >
          {isSet ? `${label}${t('page_shell.colon')}${value}` : label}
        </Button>,
      )}
      {isSet && (
        <CloseButton
          size="md"
          variant="subtle"
          aria-label={t('page_shell.filter_remove', { name: label })}
          onClick={onRemove}
        />
      )}
    </Button.Group>
  )
}
