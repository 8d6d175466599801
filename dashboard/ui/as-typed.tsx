import { ActionIcon, Code, Group, Text } from '@mantine/core'
import { CheckIcon, CopyIcon } from '@radix-ui/react-icons'
import { Fragment, type ReactNode } from 'react'
import { visibleText } from '../../locales/visible-text.ts'
import { isErased } from '../../src/lib/phone/erased-recipient.ts'
import { useTexts } from '../texts/use-texts.ts'
import classes from './as-typed.module.css'
import { useCopy } from './use-copy.ts'
import { groupsOfPhone } from '@doorcode/whatsapp-emulator/wire/phone-groups.ts'

/** Text with a copy button. The copy is exact. `cut`: only what fits in one line is shown. */
export function Copyable({ text: value, cut = false }: { text: string; cut?: boolean }) {
  if (cut)
    return (
      <Group gap={4} wrap="nowrap">
        <Code className={classes['id'] ?? ''} title={value}>
          {value}
        </Code>
        <CopyText text={value} />
      </Group>
    )
  return (
    <Group gap={4} align="flex-start" wrap="nowrap">
      <Code style={{ overflowWrap: 'break-word', whiteSpace: 'pre-wrap', minWidth: 0 }}>
        {withBreaks(visibleText(value))}
      </Code>
      <CopyText text={value} />
    </Group>
  )
}

/** The copy button of a text that is shown. */
export function CopyText({ text }: { text: string }) {
  const { t } = useTexts()
  const { copied, copy } = useCopy(text)
  return (
    <ActionIcon
      size={24}
      variant="subtle"
      color={copied ? 'success' : 'neutral'}
      c="var(--mantine-color-dimmed)"
      onClick={() => void copy()}
      aria-label={copied ? t('page_shell.copied') : t('page_shell.copy')}
      title={copied ? t('page_shell.copied') : t('page_shell.copy')}
    >
      {copied ? <CheckIcon aria-hidden="true" /> : <CopyIcon aria-hidden="true" />}
    </ActionIcon>
  )
}

/** The number of a recipient, or that it was erased. */
export function Recipient({ of, copyable = false }: { of: string; copyable?: boolean }) {
  const { t } = useTexts()
  if (isErased(of))
    return (
      <Text span inherit c="dimmed" title={of}>
        {t('page_shell.erased_recipient')}
      </Text>
    )
  if (!copyable) return <PhoneNumber of={of} />
  return (
    <Group component="span" display="inline-flex" gap={4} wrap="nowrap">
      <PhoneNumber of={of} />
      <CopyText text={of} />
    </Group>
  )
}

/** A number in groups of digits. Selected and copied, it has no spaces. */
export const PhoneNumber = ({ of }: { of: string }) => (
  <span className={`as-typed ${classes['phone']}`}>
    {groupsOfPhone(of).map((group, index) => (
      <span key={index}>{group}</span>
    ))}
  </span>
)

/** Longer references may wrap, so that the table fits. */
const MAX_WHOLE = 24

/** The shop's reference of an order. A short one does not wrap at its hyphen. */
export const Reference = ({ of }: { of: string }) => (
  <bdi style={of.length <= MAX_WHOLE ? { whiteSpace: 'nowrap' } : { overflowWrap: 'anywhere' }}>{visibleText(of)}</bdi>
)

/** An address that breaks between its parts rather than within a word. */
export const withBreaks = (address: string): ReactNode =>
  address.split(/(?<=[/?&])(?!\/)/).map((part, index) => (
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ))

/** `https://shop.example/hooks` as `shop.example/hooks`. */
export const withoutScheme = (url: string): string => url.replace(/^https?:\/\//, '')
