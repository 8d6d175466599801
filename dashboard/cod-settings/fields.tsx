import { ActionIcon, Button, Group, Input, NumberInput, Stack, Text, TextInput, Textarea } from '@mantine/core'
import { useTexts } from '../texts/use-texts.ts'
import { type Duration, charactersIn, minutesOf, moved } from './draft/draft.ts'
import { useFault } from './draft/form.ts'
import { directionOfTexts, tagOf } from './languages.ts'

/** The order for screen readers: the limit before the fault. */
const ORDER: ('label' | 'description' | 'input' | 'error')[] = ['label', 'input', 'description', 'error']

type Counted = {
  pointer: string
  label: string
  value: string
  max: number
  onChange: (value: string) => void
  /** The template's language, in which it is written and read. */
  code: string
  lines?: number
}

/** A text with its limit, counted as it is typed. */
export function CountedText({ pointer, label, value, max, onChange, code, lines = 1 }: Counted) {
  const fault = useFault(pointer)
  const common = {
    id: pointer,
    label,
    value,
    dir: directionOfTexts(code),
    lang: tagOf(code),
    error: fault,
    inputWrapperOrder: ORDER,
    description: <Counter count={charactersIn(value)} max={max} />,
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

function Counter({ count, max }: { count: number; max: number }) {
  const { t, n } = useTexts()
  return (
    <Text span size="xs" {...(count > max && { c: 'var(--mantine-color-error)', fw: 700 })}>
      {n(count)} {t('page_cod_settings.of')} {n(max)}
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
  size: { min: number; max: number }
  max: number
  onChange: (items: string[]) => void
  code: string
}

/** Labels in the order in which the customer sees them. */
export function LabelList({ pointer, label, itemLabel, add, items, size, max, onChange, code }: Listed) {
  const { t } = useTexts()
  const fault = useFault(pointer)
  return (
    <fieldset id={pointer} tabIndex={-1} style={{ border: 0, padding: 0, margin: 0, minWidth: 0 }}>
      <Group component="legend" gap="xs" mb={4} p={0}>
        <Input.Label component="span">{label}</Input.Label>
        <Counter count={items.length} max={size.max} />
      </Group>
      <Stack gap="xs">
        {items.map((item, index) => (
          <Group key={index} gap={4} align="flex-start" wrap="nowrap">
            <LabelField
              pointer={`${pointer}/${index}`}
              label={`${itemLabel} ${index + 1}`}
              value={item}
              max={max}
              code={code}
              onChange={(value) => onChange(items.with(index, value))}
            />
            <Small
              label={`${t('page_cod_settings.move_up')}${t('page_shell.colon')}${itemLabel} ${index + 1}`}
              disabled={index === 0}
              onClick={() => onChange(moved(items, index, index - 1))}
            >
              ↑
            </Small>
            <Small
              label={`${t('page_cod_settings.move_down')}${t('page_shell.colon')}${itemLabel} ${index + 1}`}
              disabled={index === items.length - 1}
              onClick={() => onChange(moved(items, index, index + 1))}
            >
              ↓
            </Small>
            <Small
              label={`${t('page_cod_settings.remove')}${t('page_shell.colon')}${itemLabel} ${index + 1}`}
              disabled={items.length <= size.min}
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
          disabled={items.length >= size.max}
          onClick={() => onChange([...items, ''])}
        >
          {add}
        </Button>
      </Stack>
    </fieldset>
  )
}

function LabelField({ pointer, label, value, max, onChange, code }: Counted) {
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
      description={<Counter count={charactersIn(value)} max={max} />}
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
  range: { min: number; max: number }
  /** A rule in addition to the range. */
  more?: string
  value: Duration
  onChange: (value: Duration) => void
}

/** In hours and minutes, with the total in minutes. */
export function DurationField({ pointer, label, range, more = '', value, onChange }: Durable) {
  const { t, language } = useTexts()
  const fault = useFault(pointer)
  const minutes = minutesOf(value)
  const limit = `${t('page_cod_settings.from')} ${spanText(range.min, language)} ${t('page_cod_settings.to')} ${spanText(range.max, language)}${more}`
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
            aria-label={`${label}${t('page_shell.colon')}${t(`page_cod_settings.${unit}`)}`}
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
                {t(`page_cod_settings.${unit}`)}
              </Text>
            }
            rightSectionWidth={64}
            onChange={(input) => onChange({ ...value, [unit]: number(input) })}
          />
        ))}
        <Text size="sm" className="exact">
          {Number.isNaN(minutes) ? '' : `${t('page_cod_settings.equals')} ${minutesText(minutes, language)}`}
        </Text>
      </Group>
    </Input.Wrapper>
  )
}

const HOUR_MINUTES = 60

export const minutesText = (minutes: number, language: string): string => inUnit(minutes, 'minute', language)

/** In hours if they are whole. */
export const spanText = (minutes: number, language: string): string =>
  minutes % HOUR_MINUTES === 0 ? inUnit(minutes / HOUR_MINUTES, 'hour', language) : minutesText(minutes, language)

const inUnit = (count: number, unit: 'minute' | 'hour', language: string): string =>
  new Intl.NumberFormat(`${language}-u-nu-latn`, { style: 'unit', unit, unitDisplay: 'long' }).format(count)
