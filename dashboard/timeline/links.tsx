import { Anchor, Button, CopyButton } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { curlOf } from '../code-examples/request.ts'
import { NamedTemplate } from '../templates/named.tsx'
import { useTexts } from '../texts/use-texts.ts'
import { isErased } from '../../src/lib/phone/erased-recipient.ts'
import { useWorkspace } from '../ui/workspace.ts'

type Template = { accountId: string; name: string; language: string }

export function TemplateLink({ accountId, name, language }: Template) {
  const { workspaceId } = useWorkspace()
  return (
    <Anchor
      size="sm"
      renderRoot={(props) => (
        <Link
          {...props}
          to="/w/$workspaceId/templates/$accountId/$name/$language"
          params={{ workspaceId, accountId, name, language }}
        />
      )}
    >
      <NamedTemplate name={name} language={language} />
    </Anchor>
  )
}

export function SenderLink({ phone }: { phone: string }) {
  const { workspaceId } = useWorkspace()
  return (
    <Anchor
      size="sm"
      className="as-typed"
      renderRoot={(props) => <Link {...props} to="/w/$workspaceId/senders" params={{ workspaceId }} />}
    >
      {phone}
    </Anchor>
  )
}

/** Opens the customer's phone, which only sandboxes have. */
export function PhoneButton({ phone, number }: { phone: string; number: string }) {
  const { t } = useTexts()
  const { workspaceId, sandbox } = useWorkspace()
  if (!sandbox || isErased(phone)) return null
  return (
    <Button
      variant="default"
      renderRoot={(props) => (
        <Link {...props} to="/w/$workspaceId/phone" params={{ workspaceId }} search={{ phone, number }} />
      )}
    >
      {t('page_timeline.open_phone')}
    </Button>
  )
}

/** Copies the request that created the page's subject. */
export function CopyCurl({ baseUrl, path, body }: { baseUrl: string; path: string; body: object }) {
  const { t } = useTexts()
  return (
    <CopyButton value={curlOf({ url: baseUrl + path, body })}>
      {({ copied, copy }) => (
        <Button variant="default" onClick={copy}>
          {copied ? t('page_shell.copied') : t('page_timeline.copy_curl')}
        </Button>
      )}
    </CopyButton>
  )
}
