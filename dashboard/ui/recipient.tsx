import { Text } from '@mantine/core'
import { isErased } from '../../src/lib/phone/erased-recipient.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Copyable } from './copy.tsx'

/** The number of a recipient, or that it was erased. */
export function Recipient({ of, copyable = false }: { of: string; copyable?: boolean }) {
  const { t } = useTexts()
  if (isErased(of))
    return (
      <Text span inherit c="dimmed" title={of}>
        {t('page_shell.erased_recipient')}
      </Text>
    )
  return copyable ? <Copyable text={of} /> : <span className="as-typed">{of}</span>
}
