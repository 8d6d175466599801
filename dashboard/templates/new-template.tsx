import { Alert, Anchor, Box, Button, Grid, NativeSelect, Radio, Select, Stack, Text } from '@mantine/core'
import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { ChatBubble, ChatPaper } from '../../emulator/phone/bubble.tsx'
import type { Sentence } from '../../src/sentences.ts'
import { type DraftFault, type TemplateDraft, draftFaultSentence, faultsOfDraft } from '../../src/templates/draft.ts'
import { TEMPLATE_LANGUAGES } from '../../src/templates/languages.ts'
import { type FormFault, api, faultsOf, queries } from '../api.ts'
import { directionOfTexts, nameOfLanguage, tagOf } from '../cod-settings/languages.ts'
import { Empty } from '../ui/empty.tsx'
import { Failed } from '../ui/failed.tsx'
import { Page } from '../ui/page.tsx'
import { useMay, useWorkspace } from '../ui/workspace.ts'
import { useLanguage, useWords } from '../words.ts'
import { CodeFields } from './code-fields.tsx'
import { CountedInput } from './counted-input.tsx'
import { type FormState, draftOf, hasField, inLanguage, startOf } from './form-state.ts'
import { bubbleOfDraft } from './preview.ts'
import { QuestionFields } from './question-fields.tsx'
import { USES } from './search.ts'
import { hasCodeTexts, startsIn } from './starts.ts'
import { templateWords } from './words.ts'

const PAGE = '/w/$workspaceId/templates/new'

export function NewTemplate() {
  const text = useWords(templateWords)
  const { workspaceId } = useWorkspace()
  const { data: choices } = useSuspenseQuery(api.templates.choices.queryOptions({ workspaceId }))
  const toSenders = (
    <Button renderRoot={(props) => <Link {...props} to="/w/$workspaceId/senders" params={{ workspaceId }} />}>
      {text.toSenders}
    </Button>
  )
  return (
    <Page
      title={text.newTitle}
      about={
        <>
          {text.newAbout}{' '}
          <Anchor
            inherit
            underline="always"
            renderRoot={(props) => <Link {...props} to="/w/$workspaceId/templates" params={{ workspaceId }} />}
          >
            {text.all}
          </Anchor>
        </>
      }
    >
      {choices.accounts.length === 0 ? (
        <Empty action={toSenders}>{text.noAccount}</Empty>
      ) : (
        <Form accounts={choices.accounts} />
      )}
    </Page>
  )
}

function Form({ accounts }: { accounts: readonly Account[] }) {
  const text = useWords(templateWords)
  const may = useMay()
  return may.change ? <TemplateForm accounts={accounts} /> : <Empty>{text.readersOnly}</Empty>
}

type Account = { accountId: string; wabaId: string }

/** What a field needs of the form. */
export type FormPart = {
  /** The sentence to show at the field; undefined: none. */
  errorAt(at: string): string | undefined
  touch(at: string): void
}

function TemplateForm({ accounts }: { accounts: readonly Account[] }) {
  const text = useWords(templateWords)
  const page = useLanguage()
  const { workspaceId } = useWorkspace()
  const { use = 'confirmation' } = useSearch({ from: PAGE })
  const [accountId, setAccountId] = useState(accounts[0]?.accountId ?? '')
  const [state, setState] = useState<FormState>(() => startOf(use, page.language))
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set())
  const [tried, setTried] = useState(false)
  const navigate = useNavigate()
  const draft = draftOf(state)
  const faults = faultsOfDraft(draft)
  const submit = useMutation(
    api.templates.submit.mutationOptions({
      async onSuccess(submitted) {
        await queries.invalidateQueries({ queryKey: api.templates.pathKey() })
        if (submitted.outcome !== 'submitted' || !submitted.shown) return
        const { name, language } = draft
        const params = { workspaceId, accountId, name, language }
        await navigate({ to: '/w/$workspaceId/templates/$accountId/$name/$language', params })
      },
    }),
  )
  const told = faultsOf(submit.error)
  const part: FormPart = {
    errorAt: (at) =>
      (tried || touched.has(at) ? sentenceAt(at, faults)?.[page.language] : undefined) ?? toldAt(at, told),
    touch(at) {
      setTouched((before) => new Set(before).add(at))
      if (submit.error) submit.reset()
    },
  }
  const change = (next: Partial<FormState>, at: string): void => {
    setState((before) => ({ ...before, ...next }))
    part.touch(at)
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
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Stack>
            <Radio.Group
              label={text.forWhat}
              value={state.use}
              onChange={(chosen) => {
                const found = USES.find((each) => each === chosen)
                if (found) setState((before) => ({ ...before, use: found }))
              }}
            >
              <Stack gap="xs" mt="xs">
                {USES.map((each) => (
                  <Radio key={each} value={each} label={text.uses[each]} description={text.useAbout[each]} />
                ))}
              </Stack>
            </Radio.Group>
            {accounts.length > 1 && (
              <NativeSelect
                label={text.account}
                value={accountId}
                data={accounts.map(({ accountId: value, wabaId }) => ({ value, label: wabaId }))}
                onChange={({ currentTarget }) => setAccountId(currentTarget.value)}
              />
            )}
            <Select
              label={text.language}
              description={text.languageHint}
              searchable
              allowDeselect={false}
              value={state.language}
              error={part.errorAt('language')}
              data={TEMPLATE_LANGUAGES.map((value) => ({
                value,
                label: `${nameOfLanguage(value, page.language)} (\u2066${value}\u2069)`,
              }))}
              onChange={(chosen) => chosen !== null && setState((before) => inLanguage(before, chosen))}
            />
            <CountedInput
              label={text.name}
              description={text.nameHint}
              most={512}
              dir="ltr"
              value={state.names[state.use]}
              error={part.errorAt('name')}
              onWrite={(name) => change({ names: { ...state.names, [state.use]: name } }, 'name')}
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
            {tried && faults.length > 0 && (
              <Alert color="red" role="alert">
                {text.mend(faults.length)}
              </Alert>
            )}
            {submit.error && told.length === 0 && <Failed error={submit.error} />}
            <Unplaced draft={draft} told={told} />
            <Button type="submit" w="fit-content" loading={submit.isPending}>
              {text.submit}
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

const sentenceAt = (at: string, faults: readonly DraftFault[]): Sentence | undefined => {
  const found = faults.find((each) => each.at === at)
  return found && draftFaultSentence(found)
}

/** Of the server, whose paths begin with `draft`. */
const toldAt = (at: string, told: readonly FormFault[]): string | undefined =>
  told.find(({ path }) => path === `draft.${at}`)?.message

/** What WhatsApp finds wrong with a part that this form has no field for, such as the text that it writes itself. */
function Unplaced({ draft, told }: { draft: TemplateDraft; told: readonly FormFault[] }) {
  const unplaced = told.filter(({ path }) => !hasField(draft, path))
  if (unplaced.length === 0) return null
  return (
    <Alert color="red" role="alert">
      {unplaced.map(({ path, message }) => (
        <Text key={path} size="sm">
          {message}
        </Text>
      ))}
    </Alert>
  )
}

function Preview({ state }: { state: FormState }) {
  const text = useWords(templateWords)
  const { language, use } = state
  const hint = use !== 'otp' ? text.previewDraft : hasCodeTexts(language) ? text.previewCode : text.previewEnglish
  return (
    <Stack gap="xs" component="section" aria-label={text.preview} style={{ position: 'sticky', top: 72 }}>
      <Text fw={600}>{text.preview}</Text>
      <Text size="sm" c="dimmed">
        {hint}
      </Text>
      {use !== 'otp' && startsIn(language) === undefined && <Text size="sm">{text.noStart}</Text>}
      <Box data-testid="preview" lang={tagOf(language)}>
        <ChatPaper direction={directionOfTexts(language)}>
          <ChatBubble bubble={bubbleOfDraft(draftOf(state))} />
        </ChatPaper>
      </Box>
    </Stack>
  )
}

function NotShown({ unknown }: { unknown: boolean }) {
  const text = useWords(templateWords)
  const { workspaceId } = useWorkspace()
  return (
    <Stack>
      <Alert color={unknown ? 'yellow' : 'blue'} title={unknown ? text.unknownTitle : text.notShownTitle} role="alert">
        {unknown ? text.unknown : text.notShown}
      </Alert>
      <Button
        w="fit-content"
        variant="default"
        renderRoot={(props) => <Link {...props} to="/w/$workspaceId/templates" params={{ workspaceId }} />}
      >
        {text.toList}
      </Button>
    </Stack>
  )
}
