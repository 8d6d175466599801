import { blockActions } from './blocked.ts'
import { codSettingsActions } from './cod-settings.ts'
import { endpointActions } from './endpoints.ts'
import { hookActions } from './hooks.ts'
import { keyActions } from './keys.ts'
import { peopleActions } from './people.ts'
import { recipientActions } from './recipients.ts'
import { sandboxActions } from './sandbox.ts'
import { senderActions } from './senders.ts'
import { templateActions } from './templates.ts'
import { workspaceActions } from './workspaces.ts'

/** Every operator action in a workspace, named like the dashboard's call that performs it. */
export const actions = {
  workspaces: workspaceActions,
  people: peopleActions,
  keys: keyActions,
  endpoints: endpointActions,
  hooks: hookActions,
  senders: senderActions,
  templates: templateActions,
  codSettings: codSettingsActions,
  blocked: blockActions,
  recipients: recipientActions,
  phone: sandboxActions,
}
