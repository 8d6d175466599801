import { Stack, Table, Text, VisuallyHidden } from '@mantine/core'
import { resourceOf } from '../../src/admin/audit/actions.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Copyable } from '../ui/as-typed.tsx'
import { Facts } from '../ui/facts.tsx'
import { Time } from '../ui/time.tsx'
import { actionIn, whoText } from './action.ts'
import { type Entry, Sentence } from './sentence.tsx'
import { type Difference, differences, labelOf, valueOf } from './values.ts'

/** Everything about one entry. */
export function Details({ entry }: { entry: Entry }) {
  const texts = useTexts()
  const { t } = texts
  const { action, target, name } = entry
  const resource = resourceOf(action)
  return (
    <Stack gap="lg">
      <Text style={{ overflowWrap: 'anywhere' }}>
        <Sentence entry={entry} />
      </Text>
      <Facts
        label={t('page_audit_log.details')}
        form="column"
        of={[
          [t('page_audit_log.when'), <Time at={entry.at} kind="past" form="second" />],
          [t('page_audit_log.who'), <bdi>{whoText(entry.who, texts)}</bdi>],
          [t('page_audit_log.what'), actionIn(action, texts)],
          resource !== undefined && [t('page_audit_log.resource'), t(`page_audit_log.resources_${resource}`)],
          name !== null && [t('page_audit_log.target_id'), <Copyable text={target} />],
        ]}
      />
      <ChangesTable entry={entry} />
    </Stack>
  )
}

/** How many changes fit in a row of the list. */
const MAX_IN_ROW = 2

/** The first changes, one per line. */
export function ChangesInRow({ entry, all }: { entry: Entry; all: readonly Difference[] }) {
  const texts = useTexts()
  const { t } = texts
  return (
    <Stack gap={2} maw="26rem">
      {all.slice(0, MAX_IN_ROW).map((difference) => (
        <Text key={difference.field} size="sm" truncate>
          <Text span inherit c="dimmed">
            {labelOf(difference.field, texts)}
            {t('page_shell.colon')}
          </Text>
          {isChange(entry) && (
            <>
              <Value of={difference} side="before" /> <span aria-hidden="true">{t('page_audit_log.arrow')}</span>{' '}
            </>
          )}
          <Value of={difference} side={isChange(entry) || difference.after !== undefined ? 'after' : 'before'} />
        </Text>
      ))}
      {all.length > MAX_IN_ROW && (
        <Text size="xs" c="dimmed">
          {t('page_audit_log.and_more', { count: all.length - MAX_IN_ROW })}
        </Text>
      )}
    </Stack>
  )
}

/** All changes; a change of an existing value shows both sides. */
function ChangesTable({ entry }: { entry: Entry }) {
  const texts = useTexts()
  const { t } = texts
  const all = differences(entry)
  if (all.length === 0) return null
  const sides = isChange(entry) ? (['before', 'after'] as const) : ([entry.after ? 'after' : 'before'] as const)
  return (
    <Table aria-label={t('page_audit_log.changed')} verticalSpacing={6} layout="fixed">
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">{t('page_audit_log.setting')}</Table.Th>
          {sides.map((side) => (
            <Table.Th key={side} scope="col">
              {sides.length === 1 ? t('page_audit_log.value') : t(`page_audit_log.${side}`)}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {all.map((difference) => (
          <Table.Tr key={difference.field}>
            <Table.Th scope="row" fw={500}>
              {labelOf(difference.field, texts)}
            </Table.Th>
            {sides.map((side) => (
              <Table.Td key={side} style={{ overflowWrap: 'anywhere', verticalAlign: 'top' }}>
                <Value of={difference} side={side} />
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

const isChange = ({ before, after }: Entry): boolean => before !== null && after !== null

function Value({ of, side }: { of: Difference; side: 'before' | 'after' }) {
  const texts = useTexts()
  const shown = valueOf(of.field, of[side], texts)
  return (
    <>
      <VisuallyHidden component="span">{texts.t(`page_audit_log.${side}`)} </VisuallyHidden>
      {typeof shown === 'string' ? <bdi>{shown}</bdi> : <Time {...shown} />}
    </>
  )
}
