import { ActionIcon, Button, Group, Input, NumberInput, Stack, Text, TextInput, Textarea } from '@mantine/core'
import { useLanguage, useWords } from '../words.ts'
import { type Duration, charactersIn, minutesOf, moved } from './draft.ts'
import { useFault } from './form.ts'
import { directionOfTexts, tagOf } from './languages.ts'
import { codWords } from './words.ts'

/** The order in which a field is read: the limit comes before what broke it. */
const ORDER: ('label' | 'description' | 'input' | 'error')[] = ['label', 'input', 'description', 'error']

type Counted = {
  pointer: string
  label: string
  value: string
  most: number
  onChange: (value: string) => void
  /** The template's language, in which it is written and read. */
  code: string
  lines?: number
}

/** A text with its limit, counted as it is typed. */
export function CountedText({ pointer, label, value, most, onChange, code, lines = 1 }: Counted) {
  const fault = useFault(pointer)
  const common = {
    id: pointer,
    label,
    value,
    dir: directionOfTexts(code),
    lang: tagOf(code),
    error: fault,
    inputWrapperOrder: ORDER,
    description: <Counter count={charactersIn(value)} most={most} />,
  }
  return lines === 1 ? (
    <TextInput {...common} onChange={(event) => onChange(event.currentTarget.value)} />
  ) : (
    <Textarea
      {...common}
      autosize
      minRows={lines}
      maxRows={8}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}

function Counter({ count, most }: { count: number; most: number }) {
  const text = useWords(codWords)
  const numbers = new Intl.NumberFormat('en')
  return (
    <Text span size="xs" {...(count > most && { c: 'var(--mantine-color-error)', fw: 700 })}>
      {numbers.format(count)} {text.of} {numbers.format(most)}
    </Text>
  )
}

type Listed = {
  pointer: string
  label: string
  /** Of one item; its number is added. */
  itemLabel: string
  add: string
  items: readonly string[]
  size: { least: number; most: number }
  most: number
  onChange: (items: string[]) => void
  code: string
}

/** Labels in the order in which the customer sees them. */
export function LabelList({ pointer, label, itemLabel, add, items, size, most, onChange, code }: Listed) {
  const text = useWords(codWords)
  const fault = useFault(pointer)
  return (
    <fieldset id={pointer} tabIndex={-1} style={{ border: 0, padding: 0, margin: 0, minWidth: 0 }}>
      <Group component="legend" gap="xs" mb={4} p={0}>
        <Input.Label component="span">{label}</Input.Label>
        <Counter count={items.length} most={size.most} />
      </Group>
      <Stack gap="xs">
        {items.map((item, index) => (
          <Group key={index} gap={4} align="flex-start" wrap="nowrap">
            <LabelField
              pointer={`${pointer}/${index}`}
              label={`${itemLabel} ${index + 1}`}
              value={item}
              most={most}
              code={code}
              onChange={(value) => onChange(items.with(index, value))}
            />
            <Small
              label={`${text.moveUp}: ${itemLabel} ${index + 1}`}
              disabled={index === 0}
              onClick={() => onChange(moved(items, index, index - 1))}
            >
              ↑
            </Small>
            <Small
              label={`${text.moveDown}: ${itemLabel} ${index + 1}`}
              disabled={index === items.length - 1}
              onClick={() => onChange(moved(items, index, index + 1))}
            >
              ↓
            </Small>
            <Small
              label={`${text.remove}: ${itemLabel} ${index + 1}`}
              disabled={items.length <= size.least}
              onClick={() => onChange(items.toSpliced(index, 1))}
            >
              ×
            </Small>
          </Group>
        ))}
        {fault && <Input.Error>{fault}</Input.Error>}
        <Button
          variant="default"
          size="compact-sm"
          w="fit-content"
          disabled={items.length >= size.most}
          onClick={() => onChange([...items, ''])}
        >
          {add}
        </Button>
      </Stack>
    </fieldset>
  )
}

function LabelField({ pointer, label, value, most, onChange, code }: Counted) {
  const fault = useFault(pointer)
  return (
    <TextInput
      id={pointer}
      aria-label={label}
      value={value}
      dir={directionOfTexts(code)}
      lang={tagOf(code)}
      error={fault}
      flex={1}
      inputWrapperOrder={ORDER}
      description={<Counter count={charactersIn(value)} most={most} />}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}

function Small({
  label,
  disabled,
  onClick,
  children,
}: {
  label: string
  disabled: boolean
  onClick: () => void
  children: string
}) {
  return (
    <ActionIcon variant="default" size="input-sm" aria-label={label} disabled={disabled} onClick={onClick}>
      {children}
    </ActionIcon>
  )
}

type Durable = {
  pointer: string
  label: string
  range: { least: number; most: number }
  /** What holds beside the range. */
  more?: string
  value: Duration
  onChange: (value: Duration) => void
}

/** In the units in which people think, with the exact minutes beside them. */
export function DurationField({ pointer, label, range, more = '', value, onChange }: Durable) {
  const text = useWords(codWords)
  const fault = useFault(pointer)
  const { language } = useLanguage()
  const minutes = minutesOf(value)
  const limit = `${text.from} ${spanInWords(range.least, language)} ${text.to} ${spanInWords(range.most, language)}${more}`
  const number = (input: number | string): number | '' => (typeof input === 'number' ? input : '')
  return (
    <Input.Wrapper
      id={pointer}
      label={label}
      labelElement="div"
      description={limit}
      error={fault}
      inputWrapperOrder={ORDER}
    >
      <Group gap="xs" mb={4} role="group" aria-label={label}>
        {(['hours', 'minutes'] as const).map((unit) => (
          <NumberInput
            key={unit}
            {...(unit === 'hours' && { id: `${pointer}/hours` })}
            aria-label={`${label}: ${text[unit]}`}
            aria-describedby={`${pointer}-description${fault ? ` ${pointer}-error` : ''}`}
            w={unit === 'hours' ? 120 : 110}
            value={value[unit]}
            min={0}
            max={99_999}
            allowDecimal={false}
            allowNegative={false}
            clampBehavior="none"
            hideControls
            error={fault !== undefined}
            rightSection={
              <Text span size="xs" c="dimmed">
                {text[unit]}
              </Text>
            }
            rightSectionWidth={64}
            onChange={(input) => onChange({ ...value, [unit]: number(input) })}
          />
        ))}
        <Text size="sm" className="exact">
          {Number.isNaN(minutes) ? '' : `${text.equals} ${minutesInWords(minutes, language)}`}
        </Text>
      </Group>
    </Input.Wrapper>
  )
}

const HOUR_MINUTES = 60

export const minutesInWords = (minutes: number, language: string): string => inUnit(minutes, 'minute', language)

/** In hours where it is whole ones. */
export const spanInWords = (minutes: number, language: string): string =>
  minutes % HOUR_MINUTES === 0 ? inUnit(minutes / HOUR_MINUTES, 'hour', language) : minutesInWords(minutes, language)

const inUnit = (count: number, unit: 'minute' | 'hour', language: string): string =>
  new Intl.NumberFormat(`${language}-u-nu-latn`, { style: 'unit', unit, unitDisplay: 'long' }).format(count)
