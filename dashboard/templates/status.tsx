import { Group, List, Text, Tooltip } from '@mantine/core'
import { nameOfLanguage } from '../texts/language.ts'
import { type PageTexts, translateWord, useTexts } from '../texts/use-texts.ts'
import { AnchorLink } from '../ui/link.tsx'
import { STATE_COLOURS } from '../ui/state/status.ts'
import { StateMark, Status } from '../ui/state/status.tsx'
import { type ListedTemplate, USES, type Use } from './search.ts'

export const qualityIn = (texts: PageTexts, quality: string | null): string =>
  quality === null ? texts.t('page_templates.not_rated') : translateWord(texts, 'page_templates.qualities', quality)

export const StatusBadge = ({ status }: { status: string }) => (
  <span title={status}>
    <Status of="template" value={status} />
  </span>
)

type WithVerdicts = Pick<ListedTemplate, 'verdicts' | 'onceApproved' | 'likely' | 'status'>

/** Statuses from which WhatsApp itself may make a template sendable (again). */
const PASSING = ['PENDING', 'IN_APPEAL', 'PAUSED']

const isUsable = ({ verdicts }: WithVerdicts, use: Use): boolean => verdicts[use] === null

const isUsableLater = ({ verdicts, onceApproved, status }: WithVerdicts, use: Use): boolean =>
  verdicts[use] !== null && onceApproved[use] === null && PASSING.includes(status)

const isFit = (template: WithVerdicts, use: Use): boolean => isUsable(template, use) || isUsableLater(template, use)

const reasonOf = ({ verdicts, onceApproved }: WithVerdicts, use: Use) => onceApproved[use] ?? verdicts[use]

/** Whether it can be used now, or once WhatsApp approves it. */
export const isFitForSome = (template: WithVerdicts): boolean => USES.some((use) => isFit(template, use))

/** What the template can be used for. If for nothing, the tooltip says why it does not fit its likely use, as its page does. */
export function UsableFor({ template }: { template: WithVerdicts }) {
  const { t, textOf } = useTexts()
  const uses = USES.filter((use) => isFit(template, use))
  const reason = reasonOf(template, template.likely)
  if (uses.length === 0)
    return (
      <Tooltip multiline maw="24rem" label={reason && textOf(reason)} disabled={!reason}>
        <span data-explained>
          <StateMark colour={STATE_COLOURS.usable.never}>{t('page_templates.for_nothing')}</StateMark>
        </span>
      </Tooltip>
    )
  return (
    <Group gap={6}>
      {uses.map((use) => {
        const name = t(`page_templates.uses_${use}`)
        return isUsable(template, use) ? (
          <StateMark key={use} colour={STATE_COLOURS.usable.now}>
            {name}
          </StateMark>
        ) : (
          <StateMark key={use} colour={STATE_COLOURS.usable.later}>
            {t('page_templates.later', { use: name })}
          </StateMark>
        )
      })}
    </Group>
  )
}

/** Of a template that can be used for nothing: why it does not fit its likely use. */
export function WhyNotUsable({ template }: { template: WithVerdicts }) {
  const { textOf } = useTexts()
  const reason = reasonOf(template, template.likely)
  return reason && <Text maw={560}>{textOf(reason)}</Text>
}

/** What the template cannot be used for, and why, if it can be used for something else. Its likely use comes first. */
export function NotUsableFor({ template }: { template: WithVerdicts }) {
  const { t, textOf } = useTexts()
  const uses = USES.filter((use) => !isFit(template, use)).toSorted(
    (a, b) => Number(b === template.likely) - Number(a === template.likely),
  )
  if (uses.length === 0) return null
  return (
    <details>
      <Text component="summary" size="sm" style={{ cursor: 'pointer' }}>
        {t('page_templates.not_usable')} ({uses.length})
      </Text>
      <List listStyleType="none" spacing="xs" mt="xs">
        {uses.map((use) => {
          const reason = reasonOf(template, use)
          return (
            <List.Item key={use}>
              <Text size="sm" fw={500}>
                {t(`page_templates.uses_${use}`)}
              </Text>
              <Text size="sm" c="dimmed" maw={560}>
                {reason && textOf(reason)}
              </Text>
            </List.Item>
          )
        })}
      </List>
    </details>
  )
}

/** The way back to the list of templates. A link inside a sentence needs its underline. */
export function AllTemplates({ inText = false }: { inText?: boolean }) {
  const { t } = useTexts()
  return (
    <AnchorLink {...(inText ? { inherit: true, underline: 'always' } : { size: 'sm' })} to="/w/$workspaceId/templates">
      {t('page_templates.all')}
    </AnchorLink>
  )
}

/** `Arabic (ar)` */
export function LanguageName({ code }: { code: string }) {
  const { language } = useTexts()
  return (
    <>
      {nameOfLanguage(code, language)} (<code>{code}</code>)
    </>
  )
}
