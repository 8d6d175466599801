import { Stack, Text } from '@mantine/core'
import { auditActions, isAuditAction } from '../../src/admin/audit/actions.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Copyable } from '../ui/copy.tsx'
import { Fact, Facts } from '../ui/facts.tsx'
import { Time } from '../ui/time.tsx'
import { actionIn } from './action.ts'
import { ChangesTable } from './changes.tsx'
import { whoText } from './command-line.ts'
import { Sentence } from './sentence.tsx'
import type { Entry } from './target.tsx'

/** Everything about one entry. */
export function Details({ entry }: { entry: Entry }) {
  const texts = useTexts()
  const { t } = texts
  const { action, target, name } = entry
  return (
    <Stack gap="lg">
      <Text style={{ overflowWrap: 'anywhere' }}>
        <Sentence entry={entry} />
      </Text>
      <Facts label={t('page_audit_log.details')} form="column">
        <Fact title={t('page_audit_log.when')}>
          <Time at={entry.at} kind="past" form="second" />
        </Fact>
        <Fact title={t('page_audit_log.who')}>
          <bdi>{whoText(entry.who, texts)}</bdi>
        </Fact>
        <Fact title={t('page_audit_log.what')}>{actionIn(action, texts)}</Fact>
        {isAuditAction(action) && (
          <Fact title={t('page_audit_log.resource')}>{t(`page_audit_log.resources_${auditActions[action]}`)}</Fact>
        )}
        {name !== null && (
          <Fact title={t('page_audit_log.target_id')}>
            <Copyable text={target} />
          </Fact>
        )}
      </Facts>
      <ChangesTable entry={entry} />
    </Stack>
  )
}
