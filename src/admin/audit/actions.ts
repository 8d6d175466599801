import type { TextCode } from '../../../locales/text.ts'

/** What an entry can be about. The log can be filtered by it. */
export const RESOURCES = [
  'account',
  'cod_settings',
  'confirmation',
  'endpoint',
  'hook',
  'instance',
  'key',
  'list',
  'message',
  'person',
  'recipient',
  'sender',
  'template',
  'workspace',
] as const
export type Resource = (typeof RESOURCES)[number]

/** What the entries of each noun are about. */
export const RESOURCE_OF = {
  account: 'account',
  clock: 'workspace',
  cod_settings: 'cod_settings',
  confirmation: 'confirmation',
  endpoint: 'endpoint',
  hook: 'hook',
  instance: 'instance',
  invitation: 'person',
  key: 'key',
  list: 'list',
  member: 'person',
  otp: 'message',
  person: 'person',
  quarantine: 'workspace',
  quota: 'workspace',
  recipient: 'recipient',
  recipients: 'recipient',
  refusal_check: 'confirmation',
  retention: 'instance',
  sandbox: 'workspace',
  secrets: 'instance',
  sender: 'sender',
  template: 'template',
  workspace: 'workspace',
} as const satisfies Readonly<Record<string, Resource>>

type Noun = keyof typeof RESOURCE_OF
type ActionOf<Of extends Noun> = TextCode extends infer Code
  ? Code extends `page_audit_log.actions_${Of}_${infer Past}`
    ? `${Of}.${Past}`
    : never
  : never

/** Every action of the audit log: each that has a name in page_audit_log. */
export type AuditAction = { [Of in Noun]: ActionOf<Of> }[Noun]

/** Returns undefined for an action that only another release has, about something else. */
export const resourceOf = (action: string): Resource | undefined =>
  Object.entries(RESOURCE_OF).find(([noun]) => action.startsWith(`${noun}.`))?.[1]

/** What is done for one recipient, or with a list of them. Other entries are about the workspace's own things and people. */
const WITH_RECIPIENTS: readonly Resource[] = ['list', 'message', 'confirmation', 'recipient']

/** Whether its entries may name a recipient, by number or in a text that a person wrote. */
export function mayNameRecipient(action: string): boolean {
  const resource = resourceOf(action)
  return resource === undefined || WITH_RECIPIENTS.includes(resource)
}
