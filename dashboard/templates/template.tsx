import {
  Alert,
  Anchor,
  Badge,
  Box,
  Button,
  Code,
  Grid,
  Group,
  Modal,
  Stack,
  Table,
  Text,
  TextInput,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { ChatBubble, ChatPaper } from '../../emulator/phone/bubble.tsx'
import { type Answers, api, codeOf, queries } from '../api.ts'
import { directionOfTexts, nameOfLanguage, tagOf } from '../cod-settings/languages.ts'
import { Copyable } from '../ui/copy.tsx'
import { Failed } from '../ui/failed.tsx'
import { useLive } from '../ui/live.ts'
import { Loading } from '../ui/loading.tsx'
import { NotFound } from '../ui/not-found.tsx'
import { Page } from '../ui/page.tsx'
import { useMay, useWorkspace } from '../ui/workspace.ts'
import { useLanguage, useWords } from '../words.ts'
import { exampleOf } from './example.ts'
import { History } from './history.tsx'
import { bubbleOf, parametersIn } from './preview.ts'
import { Review } from './review.tsx'
import { type Place, USES } from './search.ts'
import { Section } from './section.tsx'
import { StatusBadge, qualityIn, wordIn } from './status.tsx'
import { AllVerdicts } from './verdict.tsx'
import { templateWords } from './words.ts'

type Found = Answers['templates']['get']
export type Shown = NonNullable<Found['template']>

const PAGE = '/w/$workspaceId/templates/$accountId/$name/$language'

export function Template() {
  const text = useWords(templateWords)
  const live = useLive()
  const { workspaceId } = useWorkspace()
  const { accountId, name, language } = useParams({ from: PAGE })
  const page = useLanguage()
  const { data, error, refetch } = useQuery(api.templates.get.queryOptions({ workspaceId, accountId, name, language }))
  if (codeOf(error) === 'NOT_FOUND' || codeOf(error) === 'BAD_REQUEST') return <NotFound />
  if (!data) return error ? <Failed error={error} onAgain={() => void refetch()} /> : <Loading />
  const { template } = data
  return (
    <Page
      title={name}
      about={
        <>
          {nameOfLanguage(language, page.language)} (<code>{language}</code>) ·{' '}
          <Anchor
            inherit
            underline="always"
            renderRoot={(props) => <Link {...props} to="/w/$workspaceId/templates" params={{ workspaceId }} />}
          >
            {text.all}
          </Anchor>
        </>
      }
      live={live}
    >
      {template ? <Whole key={`${name} ${language}`} found={data} template={template} /> : <Gone />}
      <History changes={data.changes} />
      {template && <Remove template={template} />}
    </Page>
  )
}

function Gone() {
  const text = useWords(templateWords)
  return (
    <Alert color="gray" title={text.goneTitle}>
      {text.gone}
    </Alert>
  )
}

function Whole({ found, template }: { found: Found; template: Shown }) {
  const text = useWords(templateWords)
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, md: 7 }} order={{ base: 2, md: 1 }}>
        <Stack gap="lg">
          <Review template={template} />
          <Section title={text.what}>
            <AllVerdicts judged={template} />
          </Section>
          <Facts template={template} />
          <Request found={found} template={template} />
          <Languages found={found} template={template} />
        </Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 5 }} order={{ base: 1, md: 2 }}>
        <Preview template={template} />
      </Grid.Col>
    </Grid>
  )
}

function Preview({ template }: { template: Shown }) {
  const text = useWords(templateWords)
  return (
    <Section title={text.preview}>
      <Text size="sm" c="dimmed">
        {text.previewHint}
      </Text>
      <Box data-testid="preview" lang={tagOf(template.language)}>
        <ChatPaper direction={directionOfTexts(template.language)}>
          <ChatBubble bubble={bubbleOf(template)} />
        </ChatPaper>
      </Box>
    </Section>
  )
}

function Facts({ template }: { template: Shown }) {
  const text = useWords(templateWords)
  const { status, category, quality, sendTtlSeconds, wabaId } = template
  const facts: [string, ReactNode][] = [
    [text.status, <StatusBadge key="status" status={status} />],
    [text.category, wordIn(text.categories, category)],
    [text.quality, qualityIn(text, quality)],
    ...(sendTtlSeconds === null ? [] : [[text.ttl, text.ttlSeconds(sendTtlSeconds)] as [string, string]]),
    [text.account, <code key="account">{wabaId}</code>],
  ]
  return (
    <Table variant="vertical" withTableBorder>
      <Table.Tbody>
        {facts.map(([title, value]) => (
          <Table.Tr key={title}>
            <Table.Th scope="row" w={180}>
              {title}
            </Table.Th>
            <Table.Td>{value}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

function Request({ found, template }: { found: Found; template: Shown }) {
  const text = useWords(templateWords)
  const { workspaceId } = useWorkspace()
  const use = USES.find((each) => template.verdicts[each] === null) ?? template.likely
  if (template.category === 'MARKETING') return null
  const { call, body } = exampleOf(template, { use, senderId: found.senderId })
  const parameters = parametersIn(template)
  const names = [
    ...(parameters.header === undefined ? [] : [text.headerParameter]),
    ...parameters.body.values.map(([name]) => `{{${name}}}`),
  ]
  return (
    <Section title={text.request}>
      {use !== 'otp' && !found.codLanguageIsConfigured && (
        <Alert color="yellow">
          {text.codLanguageMissing}{' '}
          <Anchor
            inherit
            c="inherit"
            underline="always"
            renderRoot={(props) => <Link {...props} to="/w/$workspaceId/cod-settings" params={{ workspaceId }} />}
          >
            {text.toCodSettings}
          </Anchor>
        </Alert>
      )}
      {use !== 'otp' && (
        <Group gap={6}>
          <Text size="sm">{names.length === 0 ? text.noParameters : `${text.parameters}:`}</Text>
          {names.map((name) => (
            <Code key={name}>{name}</Code>
          ))}
        </Group>
      )}
      <Text size="sm" c="dimmed">
        {text.requestFor}
      </Text>
      <Copyable text={call} />
      <Copyable text={body} block />
    </Section>
  )
}

function Languages({ found, template }: { found: Found; template: Shown }) {
  const text = useWords(templateWords)
  const page = useLanguage()
  const { workspaceId } = useWorkspace()
  const { accountId, name } = template
  return (
    <Section title={text.languages}>
      <Text size="sm" c="dimmed">
        {text.otherLanguages}
      </Text>
      <Stack gap={6}>
        {found.languages.map(({ language, status }) => (
          <Group key={language} gap="xs">
            {language === template.language ? (
              <Text size="sm" fw={600} aria-current="page">
                {nameOfLanguage(language, page.language)} (<code>{language}</code>)
              </Text>
            ) : (
              <Anchor
                size="sm"
                renderRoot={(props) => (
                  <Link {...props} to={PAGE} params={{ workspaceId, accountId, name, language }} />
                )}
              >
                {nameOfLanguage(language, page.language)} (<code>{language}</code>)
              </Anchor>
            )}
            <StatusBadge status={status} />
          </Group>
        ))}
      </Stack>
    </Section>
  )
}

function Remove({ template }: { template: Shown }) {
  const text = useWords(templateWords)
  const may = useMay()
  const [asking, { open, close }] = useDisclosure()
  if (!may.change) return null
  if (template.status === 'DISABLED')
    return (
      <Text size="sm" c="dimmed">
        {text.removeDisabled}
      </Text>
    )
  return (
    <Box>
      <Button variant="outline" color="red" onClick={open}>
        {text.remove}
      </Button>
      <Modal opened={asking} onClose={close} title={text.removeTitle}>
        <AskRemove template={template} onCancel={close} />
      </Modal>
    </Box>
  )
}

function AskRemove({ template, onCancel }: { template: Place; onCancel: () => void }) {
  const text = useWords(templateWords)
  const { workspaceId } = useWorkspace()
  const navigate = useNavigate()
  const [typed, setTyped] = useState('')
  const { accountId, name, language } = template
  const remove = useMutation(
    api.templates.remove.mutationOptions({
      async onSuccess() {
        await navigate({ to: '/w/$workspaceId/templates', params: { workspaceId } })
        await queries.invalidateQueries({ queryKey: api.templates.pathKey() })
      },
    }),
  )
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        remove.mutate({ workspaceId, accountId, name, language })
      }}
    >
      <Stack>
        <Group gap="xs">
          <Badge variant="outline" color="gray">
            {language}
          </Badge>
          <code style={{ overflowWrap: 'anywhere' }}>{name}</code>
        </Group>
        <Text size="sm">{text.removeAsk}</Text>
        <TextInput
          label={text.removeType}
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          dir="ltr"
          autoComplete="off"
          spellCheck={false}
          data-autofocus
        />
        {remove.error && <Failed error={remove.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            {text.cancel}
          </Button>
          <Button type="submit" color="red" disabled={typed.trim() !== name} loading={remove.isPending}>
            {text.removeNow}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
