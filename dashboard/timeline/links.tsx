import { Button, Text } from '@mantine/core'
import { isErased } from '../../src/lib/phone/erased-recipient.ts'
import { curlOf } from '../code-examples/request.ts'
import { useTexts } from '../texts/use-texts.ts'
import { PhoneNumber } from '../ui/as-typed.tsx'
import { AnchorLink, ButtonLink } from '../ui/link.tsx'
import { useCopy } from '../ui/use-copy.ts'
import { useWorkspace } from '../ui/workspace.ts'

type Template = { accountId: string; name: string; language: string }

export function TemplateLink({ accountId, name, language }: Template) {
  return (
    <AnchorLink
      size="sm"
      to="/w/$workspaceId/templates/$accountId/$name/$language"
      params={{ accountId, name, language }}
    >
      <NamedTemplate name={name} language={language} />
    </AnchorLink>
  )
}

export function SenderLink({ phone }: { phone: string }) {
  return (
    <AnchorLink size="sm" to="/w/$workspaceId/senders">
      <PhoneNumber of={phone} />
    </AnchorLink>
  )
}

/** Opens the customer's phone, which only sandboxes have. */
export function PhoneButton({ phone, number }: { phone: string; number: string }) {
  const { t } = useTexts()
  const { sandbox } = useWorkspace()
  if (!sandbox || isErased(phone)) return null
  return (
    <ButtonLink variant="default" to="/w/$workspaceId/phone" search={{ phone, number }}>
      {t('page_timeline.open_phone')}
    </ButtonLink>
  )
}

/** Copies the request that created the page's subject. */
export function CopyCurl({ baseUrl, path, body }: { baseUrl: string; path: string; body: object }) {
  const { t } = useTexts()
  const { copied, copy } = useCopy(curlOf({ url: baseUrl + path, body }))
  return (
    <Button variant="default" onClick={() => void copy()}>
      {copied ? t('page_shell.copied') : t('page_timeline.copy_curl')}
    </Button>
  )
}

/** A template as requests name it. */
const NamedTemplate = ({ name, language }: { name: string; language: string | null }) => (
  <>
    <code>{name}</code> <span className="as-typed">({language})</span>
  </>
)

/** Stands in for the key of requests that were sent from the phone page (src/admin/phone/phone.ts). */
const SENT_BY_HAND = 'dashboard'

/** Before the id of an auth hook (src/otp/hooks/hooks.ts). */
const HOOK = 'hook:'

/** The API key of a request, its name and its public part; or the auth hook. */
export function MadeBy({ apiKeyId, apiKeyName }: { apiKeyId: string; apiKeyName: string | null }) {
  const { t } = useTexts()
  if (apiKeyId === SENT_BY_HAND) return t('page_keys.by_hand')
  return (
    <>
      <bdi>{apiKeyName ?? t('page_keys.unknown_key')}</bdi>{' '}
      <Text span size="xs" c="dimmed">
        <code>{apiKeyId.startsWith(HOOK) ? apiKeyId.slice(HOOK.length) : `dck_${apiKeyId}_…`}</code>
      </Text>
    </>
  )
}
