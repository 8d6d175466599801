import { Alert, Button, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { type RouterOutputs, api, queryClient } from '../api.ts'
import { type PageTexts, translateWord, useTexts } from '../texts/use-texts.ts'
import { Section } from '../ui/facts.tsx'
import { Failed } from '../ui/fallback.tsx'
import { KeptSince } from '../ui/list/list-pages.tsx'
import { List } from '../ui/list/list.tsx'
import { colourOf, statusWord, toneOf } from '../ui/state/status.ts'
import { Time } from '../ui/time.tsx'
import { usePermissions, useWorkspace } from '../ui/workspace.ts'
import { waitBeforePoll } from './poll.ts'
import { isFitForSome, qualityIn } from './status.tsx'

export type TemplateData = RouterOutputs['templates']['get']
export type TemplateInfo = NonNullable<TemplateData['template']>

/** The review status of a template that cannot be sent, and what to do. */
export function Review({ template }: { template: TemplateInfo }) {
  const { t, has } = useTexts()
  const { status, rejectedReason } = template
  const rejection = `page_templates.rejections_${rejectedReason?.toLowerCase()}`
  if (status === 'PENDING' || status === 'IN_APPEAL') return <InReview template={template} />
  if (status === 'REJECTED')
    return (
      <Alert color={toneOf(colourOf('template', status))} title={t('page_templates.rejected_title')}>
        <Stack gap="xs">
          {rejectedReason !== null && (
            <Text size="sm">
              {has(rejection) ? t(rejection) : t('page_templates.rejected_unknown')} (<code>{rejectedReason}</code>)
            </Text>
          )}
          <Text size="sm">{t('page_templates.rejected_next')}</Text>
        </Stack>
      </Alert>
    )
  if (status === 'PAUSED' && isFitForSome(template))
    return (
      <Alert color={toneOf(colourOf('template', status))} title={t('page_templates.paused_title')}>
        {t('page_templates.paused')}
      </Alert>
    )
  return null
}

/** Polls with growing intervals while the page is open: the webhook may not be set up. */
function InReview({ template }: { template: TemplateInfo }) {
  const { t } = useTexts()
  const may = usePermissions()
  const { workspaceId } = useWorkspace()
  const { accountId, name, language } = template
  const polls = useRef(0)
  const refresh = useMutation(
    api.templates.refresh.mutationOptions({
      onSuccess: () => queryClient.invalidateQueries({ queryKey: api.templates.pathKey() }),
    }),
  )
  const { mutate } = refresh
  const { change } = may
  useEffect(() => {
    if (!change) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const later = (): void => {
      const waitMs = waitBeforePoll(polls.current)
      if (waitMs === undefined) return
      timer = setTimeout(() => {
        polls.current += 1
        if (document.visibilityState === 'visible') mutate({ workspaceId, accountId, name, language })
        later()
      }, waitMs)
    }
    later()
    return () => clearTimeout(timer)
  }, [change, mutate, workspaceId, accountId, name, language])
  return (
    <Alert color="progress" title={t('page_templates.review_title')} role="status">
      <Stack gap="xs">
        <Text size="sm">{may.change ? t('page_templates.review') : t('page_templates.review_member')}</Text>
        {refresh.error && <Failed error={refresh.error} />}
        {may.change && (
          <Button
            size="compact-sm"
            variant="default"
            w="fit-content"
            loading={refresh.isPending}
            onClick={() => refresh.mutate({ workspaceId, accountId, name, language })}
          >
            {t('page_templates.check_now')}
          </Button>
        )}
      </Stack>
    </Alert>
  )
}

type Change = RouterOutputs['templates']['get']['changes'][number]

export function History({ changes }: { changes: readonly Change[] }) {
  const texts = useTexts()
  const { t } = texts
  return (
    <Section title={t('page_templates.history')}>
      {changes.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t('page_templates.no_history')}
        </Text>
      ) : (
        <List
          label={t('page_templates.history')}
          rows={changes.map((change, index) => ({ ...change, index }))}
          keyOf={({ index }) => String(index)}
          columns={[
            { title: t('page_templates.when'), phone: 'time', cell: ({ at }) => <Time at={at} kind="past" /> },
            {
              title: t('page_templates.changed'),
              phone: 'name',
              cell: ({ field }) => translateWord(texts, 'page_templates.fields', field),
            },
            { title: t('page_templates.from_to'), cell: (change) => <FromTo change={change} /> },
          ]}
        />
      )}
      <KeptSince of="records" />
    </Section>
  )
}

function FromTo({ change }: { change: Change }) {
  const texts = useTexts()
  const { t } = texts
  const { field, before, after } = change
  const valueText = (value: string | null): string =>
    value === null ? t('page_templates.nothing') : changedValue(texts, field, value)
  if (field === 'status' && before === null)
    return <Text size="sm">{t('page_templates.appeared', { status: valueText(after) })}</Text>
  if (field === 'status' && after === null) return <Text size="sm">{t('page_templates.vanished')}</Text>
  return (
    <Stack gap={2}>
      <Text size="sm" c="dimmed" dir={field === 'text' ? 'auto' : undefined} style={{ whiteSpace: 'pre-line' }}>
        <s>{valueText(before)}</s>
      </Text>
      <Text size="sm" dir={field === 'text' ? 'auto' : undefined} style={{ whiteSpace: 'pre-line' }}>
        {valueText(after)}
      </Text>
    </Stack>
  )
}

function changedValue(texts: PageTexts, field: string, value: string): string {
  if (field === 'status') return statusWord(texts, 'template', value)
  if (field === 'category') return translateWord(texts, 'page_templates.categories', value)
  return field === 'quality' ? qualityIn(texts, value) : value
}
