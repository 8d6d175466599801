import { type Bubble, ChatBubble, ChatPaper } from '@doorcode/whatsapp-emulator/phone/bubble.tsx'
import { Alert, Button, Drawer, Stack, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { RouterOutputs } from '../api.ts'
import { directionOfTexts, nameOfLanguage, tagOf } from '../texts/language.ts'
import { type KeyOf, useTexts } from '../texts/use-texts.ts'
import { useScreen } from '../ui/screen.ts'
import type { LanguageDraft } from './draft.ts'
import classes from './preview.module.css'

type Preview = NonNullable<RouterOutputs['codSettings']['tryOut']['preview']>
type Content = NonNullable<Preview[keyof Preview]>

const PARTS: readonly { name: keyof Preview; title: KeyOf<'page_cod_settings'> }[] = [
  { name: 'dayQuestion', title: 'preview_day' },
  { name: 'timeQuestion', title: 'preview_time' },
  { name: 'afterConfirmation', title: 'preview_closing_confirmation' },
  { name: 'reasonsQuestion', title: 'preview_reasons' },
  { name: 'notePrompt', title: 'preview_note' },
  { name: 'afterRefusal', title: 'preview_closing_refusal' },
]

type PreviewProps = { code: string; language: LanguageDraft; preview: Preview | undefined; failed: boolean }

/** Beside the texts; where there is no room, behind a button that stays in reach. */
export function PhonePreview(props: PreviewProps) {
  const { t, language: page } = useTexts()
  const [opened, { open, close }] = useDisclosure()
  const isPhone = useScreen() === 'phone'
  const title = `${t('page_cod_settings.preview')} · ${nameOfLanguage(props.code, page)}`
  if (isPhone)
    return (
      <>
        <Button variant="default" onClick={open}>
          {t('page_cod_settings.preview_open')}
        </Button>
        <Drawer opened={opened} onClose={close} position="bottom" size="85%" title={title}>
          <Messages {...props} />
        </Drawer>
      </>
    )
  return (
    <section
      aria-label={t('page_cod_settings.preview')}
      tabIndex={0}
      className={classes['preview']}
      data-testid="preview"
    >
      <Title order={2} size="h4">
        {title}
      </Title>
      <Messages {...props} />
    </section>
  )
}

/** Every message of one language as the phone will show it. */
function Messages({ code, language, preview, failed }: PreviewProps) {
  const page = useTexts()
  const { t } = page
  const unsent = (name: keyof Preview): boolean =>
    (name === 'afterConfirmation' && !language.closing.confirmation.sent) ||
    (name === 'afterRefusal' && !language.closing.refusal.sent)
  return (
    <>
      <Text size="sm" c="dimmed" mb="xs">
        {t('page_cod_settings.preview_about')}
      </Text>
      {failed && <Alert color="warning">{t('page_cod_settings.preview_missing')}</Alert>}
      <ChatPaper>
        <Stack gap="sm" p="sm">
          {PARTS.map(({ name, title }) => (
            <div key={name} data-testid={name} lang={tagOf(code)}>
              <div className={classes['when']} lang={page.language}>
                {t(`page_cod_settings.${title}`)}
              </div>
              {unsent(name) ? (
                <div className={classes['quiet']} lang={page.language}>
                  {t('page_cod_settings.preview_not_sent')}
                </div>
              ) : preview?.[name] ? (
                <Message content={preview[name]} code={code} />
              ) : (
                <div className={classes['quiet']} lang={page.language}>
                  {preview ? t('page_cod_settings.preview_faulty') : '…'}
                </div>
              )}
            </div>
          ))}
        </Stack>
      </ChatPaper>
    </>
  )
}

function Message({ content, code }: { content: Content; code: string }) {
  const { t } = useTexts()
  return (
    <>
      <ChatBubble bubble={bubbleOf(content, code)} />
      {content.type === 'list' && (
        <ListSheet label={t('page_cod_settings.preview_list')} rows={content.rows.map(({ title }) => title)} />
      )}
    </>
  )
}

function bubbleOf(content: Content, code: string): Bubble {
  const common = { side: 'business', body: content.body, direction: directionOfTexts(code) } as const
  switch (content.type) {
    case 'text':
      return common
    case 'buttons':
      return { ...common, buttons: content.buttons.map(({ title }) => ({ label: title, kind: 'reply' })) }
    case 'list':
      return { ...common, buttons: [{ label: content.button, kind: 'list' }] }
  }
}

/** The sheet that the phone opens when the button of a list is tapped. */
export function ListSheet({ label, rows }: { label: string; rows: readonly string[] }) {
  return (
    <ul className={classes['sheet']} aria-label={label}>
      {rows.map((row) => (
        <li key={row}>
          <bdi>{row}</bdi>
        </li>
      ))}
    </ul>
  )
}
