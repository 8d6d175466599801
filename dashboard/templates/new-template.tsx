import { ChatBubble, ChatPaper } from '@doorcode/whatsapp-emulator/phone/bubble.tsx'
import { Alert, Box, Button, Grid, NativeSelect, Radio, Select, Stack, Text } from '@mantine/core'
import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { draftFaultText, draftLimits, findDraftFaults, lengthOf } from '../../src/accounts/templates/draft.ts'
import { TEMPLATE_LANGUAGES } from '../../src/accounts/templates/languages.ts'
import { api, faultsOf, queryClient } from '../api.ts'
import { nameOfLanguage, tagOf } from '../texts/language.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Leaving } from '../ui/dialog/confirm-dialog.tsx'
import { Empty } from '../ui/fallback.tsx'
import { faultSentence } from '../ui/form/faults.ts'
import { CountedInput } from '../ui/form/fields.tsx'
import { FormErrors } from '../ui/form/form-errors.tsx'
import { ButtonLink } from '../ui/link.tsx'
import { Page } from '../ui/shell/page.tsx'
import { usePermissions, useWorkspace } from '../ui/workspace.ts'
import { hasCodeTexts, startsIn } from './examples-by-language.ts'
import { type FormState, draftOf, inLanguage, labelsOf, startOf, templateNameOf } from './form-state.ts'
import { CodeFields, type FormPart, QuestionFields } from './new-fields.tsx'
import { bubbleOfDraft } from './preview.ts'
import { USES } from './search.ts'
import { AllTemplates } from './status.tsx'

const PAGE = '/w/$workspaceId/templates/new'

export function NewTemplate() {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const { data: choices } = useSuspenseQuery(api.templates.choices.queryOptions({ workspaceId }))
  const toSenders = <ButtonLink to="/w/$workspaceId/senders">{t('page_templates.to_senders')}</ButtonLink>
  return (
    <Page
      title={t('page_templates.new_title')}
      about={
        <>
          {t('page_templates.new_about')} <AllTemplates inText />
        </>
      }
    >
      {choices.accounts.length === 0 ? (
        <Empty action={toSenders}>{t('page_templates.no_account')}</Empty>
      ) : (
        <Form accounts={choices.accounts} />
      )}
    </Page>
  )
}

function Form({ accounts }: { accounts: readonly Account[] }) {
  const { t } = useTexts()
  const may = usePermissions()
  return may.change ? <TemplateForm accounts={accounts} /> : <Empty>{t('page_templates.readers_only')}</Empty>
}

type Account = { accountId: string; wabaId: string }

function TemplateForm({ accounts }: { accounts: readonly Account[] }) {
  const texts = useTexts()
  const { t, language: page } = texts
  const { workspaceId } = useWorkspace()
  const { use = 'confirmation' } = useSearch({ from: PAGE })
  const [accountId, setAccountId] = useState(accounts[0]?.accountId ?? '')
  const [state, setState] = useState<FormState>(() => startOf(use, page))
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set())
  const [tried, setTried] = useState(false)
  const navigate = useNavigate()
  const draft = draftOf(state)
  const faults = findDraftFaults(draft)
  const submit = useMutation(
    api.templates.submit.mutationOptions({
      async onSuccess(submitted) {
        await queryClient.invalidateQueries({ queryKey: api.templates.pathKey() })
        if (submitted.outcome !== 'submitted' || !submitted.shown) return
        const { name, language } = draft
        const params = { workspaceId, accountId, name, language }
        await navigate({ to: '/w/$workspaceId/templates/$accountId/$name/$language', params, ignoreBlocker: true })
      },
    }),
  )
  const labels = labelsOf(draft, t)
  const shown = [
    ...faultsOf(submit.error).map(({ path, text }) => ({ at: path.replace(/^draft\./, ''), text })),
    ...faults.filter(({ at }) => tried || touched.has(at)).map((fault) => ({ ...fault, text: draftFaultText(fault) })),
  ]
  const errors: Record<string, string> = {}
  for (const { at, text } of shown) errors[at] ??= faultSentence(labels[at] ?? at, text, texts)
  const part: FormPart = { errorAt: (at) => errors[at] }
  const change = (next: Partial<FormState>, at: string): void => {
    setState((before) => ({ ...before, ...next }))
    setTouched((before) => new Set(before).add(at))
    if (submit.error) submit.reset()
  }
  if (submit.data && !(submit.data.outcome === 'submitted' && submit.data.shown))
    return <NotShown unknown={submit.data.outcome === 'unknown'} />
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        setTried(true)
        if (faults.length === 0) submit.mutate({ workspaceId, accountId, draft })
      }}
    >
      <Leaving loses={touched.size > 0} page="page_templates" />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Stack>
            <FormErrors errors={tried ? errors : {}} labels={labels} failed={submit.error} />
            <Radio.Group
              label={t('page_templates.for_what')}
              value={state.use}
              onChange={(chosen) => {
                const use = USES.find((each) => each === chosen)
                if (use) setState((before) => ({ ...before, use }))
              }}
            >
              <Stack gap="xs" mt="xs">
                {USES.map((each) => (
                  <Radio
                    key={each}
                    value={each}
                    label={t(`page_templates.uses_${each}`)}
                    description={t(`page_templates.use_about_${each}`)}
                  />
                ))}
              </Stack>
            </Radio.Group>
            {accounts.length > 1 && (
              <NativeSelect
                label={t('page_templates.account')}
                value={accountId}
                data={accounts.map(({ accountId: value, wabaId }) => ({ value, label: wabaId }))}
                onChange={({ currentTarget }) => setAccountId(currentTarget.value)}
              />
            )}
            <Select
              label={t('page_templates.language')}
              description={t('page_templates.language_hint')}
              searchable
              allowDeselect={false}
              value={state.language}
              error={part.errorAt('language')}
              data-path="language"
              data={TEMPLATE_LANGUAGES.map((value) => ({
                value,
                label: `${nameOfLanguage(value, page)} (\u2066${value}\u2069)`,
              }))}
              onChange={(chosen) => chosen !== null && setState((before) => inLanguage(before, chosen))}
            />
            <CountedInput
              label={t('page_templates.name')}
              description={t('page_templates.name_hint')}
              max={draftLimits.name}
              used={lengthOf(state.names[state.use])}
              dir="ltr"
              value={state.names[state.use]}
              error={part.errorAt('name')}
              data-path="name"
              onWrite={(typed) => change({ names: { ...state.names, [state.use]: templateNameOf(typed) } }, 'name')}
            />
            {state.use === 'otp' ? (
              <CodeFields value={state.otp} part={part} onChange={(otp, at) => change({ otp }, at)} />
            ) : (
              <QuestionFields
                key={state.use}
                use={state.use}
                language={state.language}
                value={state[state.use]}
                part={part}
                onChange={(question, at) => change({ [state.use]: question }, at)}
              />
            )}
            <Button type="submit" w="fit-content" loading={submit.isPending}>
              {t('page_templates.submit')}
            </Button>
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Preview state={state} />
        </Grid.Col>
      </Grid>
    </form>
  )
}

function Preview({ state }: { state: FormState }) {
  const { t } = useTexts()
  const { language, use } = state
  const hint =
    use !== 'otp'
      ? t('page_templates.preview_draft')
      : hasCodeTexts(language)
        ? t('page_templates.preview_code')
        : t('page_templates.preview_english')
  return (
    <Stack
      gap="xs"
      component="section"
      aria-label={t('page_templates.preview')}
      style={{ position: 'sticky', top: 72 }}
    >
      <Text fw={600}>{t('page_templates.preview')}</Text>
      <Text size="sm" c="dimmed">
        {hint}
      </Text>
      {use !== 'otp' && startsIn(language) === undefined && <Text size="sm">{t('page_templates.no_start')}</Text>}
      <Box data-testid="preview" lang={tagOf(language)}>
        <ChatPaper>
          <ChatBubble bubble={bubbleOfDraft(draftOf(state))} />
        </ChatPaper>
      </Box>
    </Stack>
  )
}

function NotShown({ unknown }: { unknown: boolean }) {
  const { t } = useTexts()
  return (
    <Stack>
      <Alert
        color={unknown ? 'warning' : 'progress'}
        title={unknown ? t('page_templates.unknown_title') : t('page_templates.not_shown_title')}
        role="alert"
      >
        {unknown ? t('page_templates.unknown') : t('page_templates.not_shown')}
      </Alert>
      <ButtonLink w="fit-content" variant="default" to="/w/$workspaceId/templates">
        {t('page_templates.to_list')}
      </ButtonLink>
    </Stack>
  )
}
