import { Alert, Button, Checkbox, Group, Paper, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { type RouterOutputs, api, queryClient } from '../api.ts'
import { useTexts } from '../texts/use-texts.ts'
import { PhoneNumber } from '../ui/as-typed.tsx'
import { DangerDialog } from '../ui/dialog/confirm-dialog.tsx'
import { Section } from '../ui/facts.tsx'
import { Failed } from '../ui/fallback.tsx'
import { ServerForm, useServerForm } from '../ui/form/server-form.tsx'
import { StepProgress } from '../ui/progress.tsx'
import { useWorkspace } from '../ui/workspace.ts'

type RecipientSummary = RouterOutputs['recipients']['find']

/** For owners: what the workspace holds about one number, as a file, or erased. */
export function RecipientData() {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const labels = { phone: t('page_recipients.phone') }
  const form = useServerForm(labels, { phone: '' })
  const find = useMutation(api.recipients.find.mutationOptions({ onError: form.showFaults }))
  return (
    <Section title={t('page_recipients.title')}>
      <Paper withBorder p="md">
        <Stack>
          <Text size="sm" maw={720}>
            {t('page_recipients.means')}
          </Text>
          <ServerForm form={form} call={find} gap="xs" onSubmit={(values) => find.mutate({ workspaceId, ...values })}>
            <Group align="flex-end" gap="xs">
              <TextInput
                description={t('page_recipients.phone_hint')}
                type="tel"
                dir="ltr"
                autoComplete="off"
                {...form.field('phone')}
              />
              <Button type="submit" variant="default" loading={find.isPending}>
                {t('page_recipients.find')}
              </Button>
            </Group>
          </ServerForm>
          {find.data && <Actions key={find.data.phone} found={find.data} />}
        </Stack>
      </Paper>
    </Section>
  )
}

function Actions({ found }: { found: RecipientSummary }) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const { phone } = found
  const { run, erasure } = useErase(phone)
  const [keepBlock, setKeepBlock] = useState(false)
  const download = useMutation(
    api.recipients.export.mutationOptions({ onSuccess: ({ text }) => saveFile('recipient.json', text) }),
  )
  if (run.data)
    return (
      <Alert color="success" role="status" title={<PhoneNumber of={phone} />}>
        {erasedText(t, phone, run.data)}
      </Alert>
    )
  return (
    <Stack gap="xs">
      <Text size="sm" role="status">
        <PhoneNumber of={phone} /> · <RecipientCounts found={found} />
      </Text>
      {download.error !== null && <Failed error={download.error} />}
      <Group gap="xs">
        <Button variant="default" loading={download.isPending} onClick={() => download.mutate({ workspaceId, phone })}>
          {t('page_recipients.download')}
        </Button>
        <DangerDialog
          label={t('page_recipients.erase')}
          title={t('page_recipients.erase_title', { phone })}
          name={phone}
          yes={t('page_recipients.erase_yes')}
          doing={run}
          onYes={() => run.mutateAsync(keepBlock)}
        >
          <Text size="sm">{t('page_recipients.loses')}</Text>
          <Text size="sm">{t('page_recipients.stays')}</Text>
          {found.isBlocked && (
            <Checkbox
              label={t('page_recipients.keep_block')}
              description={t('page_recipients.keep_block_hint')}
              checked={keepBlock}
              onChange={({ currentTarget }) => setKeepBlock(currentTarget.checked)}
            />
          )}
          {erasure && <ErasureProgress erasure={erasure} />}
        </DangerDialog>
      </Group>
    </Stack>
  )
}

function RecipientCounts({ found: { phone, oneTimeCodes, confirmations, isBlocked } }: { found: RecipientSummary }) {
  const { t } = useTexts()
  if (oneTimeCodes + confirmations === 0 && !isBlocked) return t('page_recipients.nothing', { phone })
  const parts = [
    t('page_recipients.codes', { count: oneTimeCodes }),
    t('page_recipients.confirmations', { count: confirmations }),
    ...(isBlocked ? [t('page_recipients.blocked')] : []),
  ]
  return parts.join(' · ')
}

const STEPS = ['rows', 'reports', 'audit_log'] as const

function ErasureProgress({ erasure: { stage } }: { erasure: Erasure }) {
  const { t } = useTexts()
  const step = STEPS.find((each) => each === stage) ?? 'audit_log'
  const amount = t(`page_recipients.step_${step}`)
  return (
    <StepProgress
      label={t('page_recipients.erasing')}
      amount={amount}
      announcement={amount}
      step={STEPS.indexOf(step) + 1}
      steps={STEPS.length}
    />
  )
}

type Result = { messages: number; isNothing: boolean; finishesEarlier: boolean; pseudonym: string }

function erasedText(t: ReturnType<typeof useTexts>['t'], phone: string, result: Result): string {
  const { messages, isNothing, finishesEarlier, pseudonym } = result
  if (isNothing && !finishesEarlier) return t('page_recipients.nothing_erased', { phone })
  const sentences = [
    ...(finishesEarlier ? [t('page_recipients.earlier_finished', { pseudonym })] : []),
    ...(isNothing ? [] : [t('page_recipients.erased', { count: messages })]),
  ]
  return sentences.join(' ')
}

function saveFile(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}

type Erasure = RouterOutputs['recipients']['erase']['erasure']

/** Erases step by step. If the page closes, the rest is kept, and the next run finishes it. */
function useErase(phone: string) {
  const { workspaceId } = useWorkspace()
  const [erasure, setErasure] = useState<Erasure>()
  const step = useMutation(api.recipients.erase.mutationOptions())
  const run = useMutation({
    async mutationFn(keepBlock: boolean) {
      let erasure: Erasure | undefined
      let messages = 0
      let isNothing = true
      do {
        const next: RouterOutputs['recipients']['erase'] = await step.mutateAsync({
          workspaceId,
          phone,
          keepBlock,
          erasure,
        })
        erasure = next.erasure
        setErasure(erasure)
        messages += next.erased.messages
        isNothing &&= Object.values(next.erased).every((count) => count === 0)
      } while (erasure.stage !== 'done')
      const { finishesEarlier, pseudonym } = erasure
      return { messages, isNothing, finishesEarlier, pseudonym }
    },
    onSettled: () => queryClient.invalidateQueries(),
  })
  return { run, erasure: run.isPending ? erasure : undefined }
}
