import { Alert, Stack, Text, Title } from '@mantine/core'
import { type Bubble, ChatBubble, ChatPaper } from '../../emulator/phone/bubble.tsx'
import type { Answers } from '../api.ts'
import { directionOf, useLanguage, useWords } from '../words.ts'
import type { LanguageDraft } from './draft.ts'
import { directionOfTexts, nameOfLanguage, tagOf } from './languages.ts'
import { ListSheet } from './list-sheet.tsx'
import classes from './preview.module.css'
import { type CodWords, codWords } from './words.ts'

export type Preview = NonNullable<Answers['codSettings']['tryOut']['preview']>
type Content = NonNullable<Preview[keyof Preview]>

const PARTS: readonly { name: keyof Preview; title: keyof CodWords }[] = [
  { name: 'dayQuestion', title: 'previewDay' },
  { name: 'timeQuestion', title: 'previewTime' },
  { name: 'afterConfirmation', title: 'previewClosingConfirmation' },
  { name: 'reasonsQuestion', title: 'previewReasons' },
  { name: 'notePrompt', title: 'previewNote' },
  { name: 'afterRefusal', title: 'previewClosingRefusal' },
]

type Shown = { code: string; language: LanguageDraft; preview: Preview | undefined; failed: boolean }

/** Every message of one language as the phone will show it. */
export function PhonePreview({ code, language, preview, failed }: Shown) {
  const text = useWords(codWords)
  const page = useLanguage()
  const unsent = (name: keyof Preview): boolean =>
    (name === 'afterConfirmation' && !language.closing.confirmation.sent) ||
    (name === 'afterRefusal' && !language.closing.refusal.sent)
  return (
    <section aria-label={text.preview} tabIndex={0} className={classes['preview']} data-testid="preview">
      <Title order={3} size="h5">
        {text.preview} · {nameOfLanguage(code, page.language)}
      </Title>
      <Text size="sm" c="dimmed" mb="xs">
        {text.previewAbout}
      </Text>
      {failed && <Alert color="yellow">{text.previewMissing}</Alert>}
      <ChatPaper direction={directionOfTexts(code)}>
        <Stack gap="sm" p="sm">
          {PARTS.map(({ name, title }) => (
            <div key={name} data-testid={name} lang={tagOf(code)}>
              <div className={classes['when']} lang={page.language} dir={directionOf(page.language)}>
                {text[title]}
              </div>
              {unsent(name) ? (
                <div className={classes['quiet']} lang={page.language} dir={directionOf(page.language)}>
                  {text.previewNotSent}
                </div>
              ) : preview?.[name] ? (
                <Message content={preview[name]} code={code} />
              ) : (
                <div className={classes['quiet']} lang={page.language} dir={directionOf(page.language)}>
                  {preview ? text.previewFaulty : '…'}
                </div>
              )}
            </div>
          ))}
        </Stack>
      </ChatPaper>
    </section>
  )
}

function Message({ content, code }: { content: Content; code: string }) {
  const text = useWords(codWords)
  return (
    <>
      <ChatBubble bubble={bubbleOf(content, code)} />
      {content.type === 'list' && (
        <ListSheet
          label={text.previewList}
          rows={content.rows.map(({ title }) => title)}
          direction={directionOfTexts(code)}
        />
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
