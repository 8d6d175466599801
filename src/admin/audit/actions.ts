/** What an entry can be about. The log can be filtered by it. */
export const RESOURCES = [
  'account',
  'cod_settings',
  'confirmation',
  'endpoint',
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

/** Every action of the audit log, and what it is about. Each has texts in page_audit_log. */
export const auditActions = {
  'account.connected': 'account',
  'account.removed': 'account',
  'account.renewed': 'account',
  'account.subscribed': 'account',
  'account.sync_failed': 'account',
  'account.synced': 'account',
  'clock.advanced': 'workspace',
  'clock.stopped_early': 'workspace',
  'cod_settings.changed': 'cod_settings',
  'confirmation.sent': 'confirmation',
  'endpoint.added': 'endpoint',
  'endpoint.deleted': 'endpoint',
  'endpoint.enabled': 'endpoint',
  'endpoint.paused': 'endpoint',
  'endpoint.pinged': 'endpoint',
  'endpoint.resent': 'endpoint',
  'endpoint.resent_one': 'endpoint',
  'endpoint.resumed': 'endpoint',
  'endpoint.retried': 'endpoint',
  'endpoint.secret_rotated': 'endpoint',
  'endpoint.updated': 'endpoint',
  'instance.backup_started': 'instance',
  'instance.restored': 'instance',
  'invitation.created': 'person',
  'invitation.revoked': 'person',
  'key.created': 'key',
  'key.revoked': 'key',
  'key.rotated': 'key',
  'list.exported': 'list',
  'member.left': 'person',
  'member.removed': 'person',
  'member.role_changed': 'person',
  'otp.sent': 'message',
  'person.backup_codes_renewed': 'person',
  'person.joined': 'person',
  'person.password_changed': 'person',
  'person.password_link_made': 'person',
  'person.password_set_by_link': 'person',
  'person.renamed': 'person',
  'person.second_factor_off': 'person',
  'person.second_factor_on': 'person',
  'person.session_ended': 'person',
  'person.sign_in_paused': 'person',
  'person.signed_in': 'person',
  'person.signed_out_everywhere': 'person',
  'quarantine.released': 'workspace',
  'quota.changed': 'workspace',
  'recipient.blocked': 'recipient',
  'recipient.erased': 'recipient',
  'recipient.exported': 'recipient',
  'recipient.unblocked': 'recipient',
  'recipients.imported': 'recipient',
  'refusal_check.sent': 'confirmation',
  'retention.confirmed': 'instance',
  'secrets.key_added': 'instance',
  'secrets.resealed': 'instance',
  'secrets.rotated': 'instance',
  'secrets.sessions_ended': 'instance',
  'sender.paused': 'sender',
  'sender.resumed': 'sender',
  'template.deleted': 'template',
  'template.submitted': 'template',
  'workspace.created': 'workspace',
  'workspace.deletion_requested': 'workspace',
  'workspace.deletion_cancelled': 'workspace',
  'workspace.renamed': 'workspace',
} as const satisfies Readonly<Record<string, Resource>>

export type AuditAction = keyof typeof auditActions

export const isAuditAction = (text: string): text is AuditAction => Object.hasOwn(auditActions, text)

/** What is done for one recipient, or with a list of them. Other entries are about the workspace's own things and people. */
const WITH_RECIPIENTS: readonly Resource[] = ['list', 'message', 'confirmation', 'recipient']

/** Whether its entries may name a recipient, by number or in a text that a person wrote. Also true for actions that only other releases have. */
export const mayNameRecipient = (action: string): boolean =>
  !isAuditAction(action) || WITH_RECIPIENTS.includes(auditActions[action])

export const actionsOf = (resource: Resource): AuditAction[] =>
  Object.keys(auditActions)
    .filter(isAuditAction)
    .filter((action) => auditActions[action] === resource)
