import { ActionIcon, Badge, Button, Group, Input, Stack, Text, VisuallyHidden } from '@mantine/core'
import { ArrowDownIcon, ArrowUpIcon, Cross2Icon } from '@radix-ui/react-icons'
import { type ReactNode, useId } from 'react'
import { directionOfTexts, tagOf } from '../texts/language.ts'
import { useTexts } from '../texts/use-texts.ts'
import { CountedInput } from '../ui/form/fields.tsx'
import classes from './cod-settings.module.css'
import { charactersIn, moved } from './draft.ts'
import { useFault, useForm } from './form.ts'

type TextProps = {
  pointer: string
  value: string
  max: number
  onChange: (value: string) => void
  /** The template's language, in which it is written and read. */
  code: string
  rows?: number
} & ({ label: string } | { 'aria-label': string })

/** A text that customers read. */
export function CustomerText({ pointer, onChange, code, ...field }: TextProps) {
  return (
    <CountedInput
      {...field}
      used={charactersIn(field.value)}
      dir={directionOfTexts(code)}
      lang={tagOf(code)}
      error={useFault(pointer)}
      data-path={pointer}
      flex={1}
      onWrite={onChange}
    />
  )
}

type ListProps = {
  pointer: string
  label: string
  /** The label of one item, to which its number is added. */
  itemLabel: string
  add: string
  items: readonly string[]
  size: { min: number; max: number }
  max: number
  onChange: (items: string[]) => void
  code: string
}

/** Labels in the order in which the customer sees them. */
export function LabelList({ pointer, label, itemLabel, add, items, size, max, onChange, code }: ListProps) {
  const { t } = useTexts()
  const id = useId()
  const fault = useFault(pointer)
  const isFull = items.length >= size.max
  return (
    <div role="group" aria-labelledby={id} data-path={pointer}>
      <Input.Label component="div" id={id} mb={4}>
        {label}
      </Input.Label>
      <Stack gap="xs">
        {items.map((item, index) => {
          const name = `${itemLabel} ${index + 1}`
          const act = (what: 'move_up' | 'move_down' | 'remove'): string =>
            `${t(`page_cod_settings.${what}`)}${t('page_shell.colon')}${name}`
          return (
            <Group key={index} gap={4} align="flex-start" wrap="nowrap">
              <CustomerText
                pointer={`${pointer}/${index}`}
                aria-label={name}
                value={item}
                max={max}
                code={code}
                onChange={(value) => onChange(items.with(index, value))}
              />
              <Small
                label={act('move_up')}
                disabled={index === 0}
                onClick={() => onChange(moved(items, index, index - 1))}
              >
                <ArrowUpIcon />
              </Small>
              <Small
                label={act('move_down')}
                disabled={index === items.length - 1}
                onClick={() => onChange(moved(items, index, index + 1))}
              >
                <ArrowDownIcon />
              </Small>
              <Small
                label={act('remove')}
                disabled={items.length <= size.min}
                onClick={() => onChange(items.toSpliced(index, 1))}
              >
                <Cross2Icon />
              </Small>
            </Group>
          )
        })}
        {fault && <Input.Error>{fault}</Input.Error>}
        <Group gap="xs">
          <Button variant="default" size="compact-sm" disabled={isFull} onClick={() => onChange([...items, ''])}>
            {add}
          </Button>
          {isFull && (
            <Text size="sm" c="dimmed">
              {t('page_cod_settings.at_most', { max: size.max })}
            </Text>
          )}
        </Group>
      </Stack>
    </div>
  )
}

type Acting = { label: string; disabled: boolean; onClick: () => void; children: ReactNode }

function Small({ label, disabled, onClick, children }: Acting) {
  return (
    <ActionIcon
      variant="transparent"
      color="neutral"
      size="input-sm"
      aria-label={label}
      disabled={disabled}
      onClick={onClick}
    >
      {children}
    </ActionIcon>
  )
}

/** Its contents can be read and copied but not changed. */
export function ReadOnly({ when, children }: { when: boolean; children: ReactNode }) {
  return (
    <fieldset disabled={when} className={classes['plain']}>
      {children}
    </fieldset>
  )
}

/** A mark on a tab: how many errors its fields show, or that some fields have unsaved changes. */
export function TabMark({ has }: { has: (pointer: string) => boolean }) {
  const { t, n } = useTexts()
  const { faults, changed } = useForm()
  const errors = faults.filter(({ pointer }) => has(pointer)).length
  if (errors > 0)
    return (
      <Badge color="failure" variant="light" size="sm">
        <span aria-hidden="true">{n(errors)}</span>
        <VisuallyHidden component="span">{t('page_shell.errors', { count: errors })}</VisuallyHidden>
      </Badge>
    )
  if (!changed.some(has)) return null
  return (
    <span className={classes['changed']} title={t('page_cod_settings.unsaved')}>
      <VisuallyHidden component="span">{t('page_cod_settings.unsaved')}</VisuallyHidden>
    </span>
  )
}
