import { ChatBubble, ChatPaper } from '@doorcode/whatsapp-emulator/phone/bubble.tsx'
import { Alert, Badge, Box, Code, Grid, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { api, codeOf, queryClient } from '../api.ts'
import { requestExamples } from '../code-examples/request.ts'
import { pageQueries } from '../queries.ts'
import { tagOf } from '../texts/language.ts'
import { translateWord, useTexts } from '../texts/use-texts.ts'
import { SenderLink } from '../timeline/links.tsx'
import { Copyable } from '../ui/as-typed.tsx'
import { CodeTabs } from '../ui/code-tabs.tsx'
import { DangerDialog } from '../ui/dialog/confirm-dialog.tsx'
import { Facts, Section } from '../ui/facts.tsx'
import { Failed, Loading } from '../ui/fallback.tsx'
import { AnchorLink, ButtonLink } from '../ui/link.tsx'
import { NotFound } from '../ui/shell/not-found.tsx'
import { Page } from '../ui/shell/page.tsx'
import { CodeLink } from '../ui/state/status.tsx'
import { usePermissions, useWorkspace } from '../ui/workspace.ts'
import { bubbleOf, exampleOf, parametersIn } from './preview.ts'
import { History, Review, type TemplateData, type TemplateInfo } from './review.tsx'
import { USES } from './search.ts'
import {
  AllTemplates,
  LanguageName,
  NotUsableFor,
  StatusBadge,
  UsableFor,
  WhyNotUsable,
  isFitForSome,
  qualityIn,
} from './status.tsx'

const PAGE = '/w/$workspaceId/templates/$accountId/$name/$language'

export function Template() {
  const { workspaceId } = useWorkspace()
  const { accountId, name, language } = useParams({ from: PAGE })
  const { data, error, refetch } = useQuery(pageQueries.template({ workspaceId, accountId, name, language }))
  if (codeOf(error) === 'NOT_FOUND' || codeOf(error) === 'BAD_REQUEST') return <NotFound />
  const template = data?.template
  return (
    <Page
      title={name}
      status={template && <StatusBadge status={template.status} />}
      back={<AllTemplates />}
      about={template === null ? <LanguageName code={language} /> : undefined}
      live
    >
      {data ? (
        <Loaded data={data} />
      ) : error ? (
        <Failed error={error} onAgain={() => void refetch()} />
      ) : (
        <Loading as="detail" />
      )}
    </Page>
  )
}

function Loaded({ data }: { data: TemplateData }) {
  const { template } = data
  return (
    <>
      {template ? <TemplateDetails data={data} template={template} /> : <DeletedTemplate />}
      <History changes={data.changes} />
      {template && <Remove template={template} />}
    </>
  )
}

function DeletedTemplate() {
  const { t } = useTexts()
  return (
    <Alert color="neutral" title={t('page_templates.gone_title')}>
      {t('page_templates.gone')}
    </Alert>
  )
}

function TemplateDetails({ data, template }: { data: TemplateData; template: TemplateInfo }) {
  return (
    <>
      <Review template={template} />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Preview template={template} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 7 }}>
          <TemplateFacts data={data} template={template} />
        </Grid.Col>
      </Grid>
      <Uses template={template} />
      <Request data={data} template={template} />
      {data.languages.length > 1 && <Languages data={data} template={template} />}
    </>
  )
}

/** The template as WhatsApp shows it. */
function Preview({ template }: { template: TemplateInfo }) {
  const { t } = useTexts()
  return (
    <section aria-label={t('page_templates.preview')}>
      <Box data-testid="preview" lang={tagOf(template.language)}>
        <ChatPaper>
          <ChatBubble bubble={bubbleOf(template)} />
        </ChatPaper>
      </Box>
      <Text size="xs" c="dimmed" mt={4}>
        {t('page_templates.preview_hint')}
      </Text>
    </section>
  )
}

function TemplateFacts({ data: { senderPhones }, template }: { data: TemplateData; template: TemplateInfo }) {
  const texts = useTexts()
  const { t, n } = texts
  const { language, category, quality, rejectedReason, sendTtlSeconds, wabaId } = template
  return (
    <Facts
      label={t('page_templates.facts')}
      form="column"
      of={[
        rejectedReason !== null && [t('page_templates.reason'), <code>{rejectedReason}</code>],
        [t('page_templates.language'), <LanguageName code={language} />],
        [t('page_templates.category'), translateWord(texts, 'page_templates.categories', category)],
        [t('page_templates.quality'), qualityIn(texts, quality)],
        sendTtlSeconds !== null && [
          t('page_templates.ttl'),
          sendTtlSeconds < 0
            ? t('page_templates.ttl_default')
            : t('page_templates.ttl_seconds', { seconds: n(sendTtlSeconds) }),
        ],
        [t('page_templates.account'), <Copyable text={wabaId} />],
        senderPhones.length > 0 && [
          t('page_templates.senders'),
          <Stack gap={2} align="flex-start">
            {senderPhones.map((phone) => (
              <SenderLink key={phone} phone={phone} />
            ))}
          </Stack>,
        ],
      ]}
    />
  )
}

function Uses({ template }: { template: TemplateInfo }) {
  const { t } = useTexts()
  if (!isFitForSome(template))
    return (
      <Section title={t('page_templates.for_nothing')}>
        <WhyNotUsable template={template} />
        <CreateUsable template={template} />
      </Section>
    )
  return (
    <Section title={t('page_templates.usable_for')}>
      <UsableFor template={template} />
      <NotUsableFor template={template} />
    </Section>
  )
}

/** In place of a request, which would be rejected. */
function CreateUsable({ template: { likely } }: { template: TemplateInfo }) {
  const { t } = useTexts()
  const may = usePermissions()
  if (!may.change) return null
  return (
    <ButtonLink w="fit-content" to="/w/$workspaceId/templates/new" search={{ use: likely }}>
      {t(`page_templates.create_${likely}`)}
    </ButtonLink>
  )
}

function Request({ data, template }: { data: TemplateData; template: TemplateInfo }) {
  const { t } = useTexts()
  const use = USES.find((each) => template.verdicts[each] === null) ?? template.likely
  if (!isFitForSome(template)) return null
  const example = exampleOf(template, { use, senderId: data.senderId, baseUrl: data.baseUrl })
  const parameters = parametersIn(template)
  const names = [
    ...(parameters.header === undefined ? [] : [t('page_templates.header_parameter')]),
    ...parameters.body.values.map(([name]) => `{{${name}}}`),
  ]
  return (
    <Section title={t('page_templates.request')}>
      {use !== 'otp' && !data.codLanguageIsConfigured && (
        <Alert color="warning">
          {t('page_templates.cod_language_missing')} <CodeLink code="COD_LANGUAGE_NOT_CONFIGURED" />{' '}
          <AnchorLink inherit c="inherit" underline="always" to="/w/$workspaceId/cod-settings">
            {t('page_templates.to_cod_settings')}
          </AnchorLink>
        </Alert>
      )}
      {use !== 'otp' && (
        <Group gap={6}>
          <Text size="sm">
            {names.length === 0
              ? t('page_templates.no_parameters')
              : `${t('page_templates.parameters')}${t('page_shell.colon')}`}
          </Text>
          {names.map((name) => (
            <Code key={name}>{name}</Code>
          ))}
        </Group>
      )}
      <Text size="sm" c="dimmed">
        {t('page_templates.request_for')}
      </Text>
      <CodeTabs label={t('page_templates.request')} of={requestExamples(example)} />
    </Section>
  )
}

function Languages({ data, template }: { data: TemplateData; template: TemplateInfo }) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const { accountId, name } = template
  return (
    <Section title={t('page_templates.languages')}>
      <Text size="sm" c="dimmed">
        {t('page_templates.other_languages')}
      </Text>
      <Stack gap={6}>
        {data.languages.map(({ language, status }) => (
          <Group key={language} gap="xs">
            {language === template.language ? (
              <Text size="sm" fw={600} aria-current="page">
                <LanguageName code={language} />
              </Text>
            ) : (
              <AnchorLink size="sm" to={PAGE} params={{ workspaceId, accountId, name, language }}>
                <LanguageName code={language} />
              </AnchorLink>
            )}
            <StatusBadge status={status} />
          </Group>
        ))}
      </Stack>
    </Section>
  )
}

function Remove({ template }: { template: TemplateInfo }) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const may = usePermissions()
  const navigate = useNavigate()
  const { accountId, name, language, status } = template
  const remove = useMutation(
    api.templates.remove.mutationOptions({
      async onSuccess() {
        await navigate({ to: '/w/$workspaceId/templates', params: { workspaceId } })
        await queryClient.invalidateQueries({ queryKey: api.templates.pathKey() })
      },
    }),
  )
  if (!may.change) return null
  if (status === 'DISABLED')
    return (
      <Text size="sm" c="dimmed">
        {t('page_templates.remove_disabled')}
      </Text>
    )
  return (
    <DangerDialog
      label={t('page_templates.remove')}
      button={{ variant: 'outline', color: 'red' }}
      title={t('page_templates.remove_title')}
      name={name}
      ask={t('page_templates.remove_type')}
      yes={t('page_templates.remove_now')}
      doing={remove}
      onYes={() => remove.mutateAsync({ workspaceId, accountId, name, language })}
    >
      <Group gap="xs">
        <Badge variant="outline" color="neutral">
          {language}
        </Badge>
        <code style={{ overflowWrap: 'anywhere' }}>{name}</code>
      </Group>
      <Text size="sm">{t('page_templates.remove_ask')}</Text>
    </DangerDialog>
  )
}
