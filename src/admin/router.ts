import { account } from './auth/account.ts'
import { auditLog } from './audit/audit-log.ts'
import { blocked } from './recipients/blocked.ts'
import { charts } from './charts.ts'
import { codSettings } from './cod-settings.ts'
import { confirmations } from './confirmations.ts'
import { endpoints } from './endpoints.ts'
import { hooks } from './hooks.ts'
import { keys } from './keys.ts'
import { messages } from './messages.ts'
import { people } from './auth/people.ts'
import { phone } from './phone/phone.ts'
import { recipients } from './recipients/recipients.ts'
import { search } from './search.ts'
import { senders } from './senders.ts'
import { session } from './auth/session.ts'
import { system } from './system.ts'
import { templates } from './templates.ts'
import { workspaces } from './workspaces.ts'
import { router } from './rpc/trpc.ts'

/** Every call of the dashboard's pages, by noun. */
export const dashboardRouter = router({
  session,
  account,
  workspaces,
  people,
  auditLog,
  keys,
  endpoints,
  hooks,
  senders,
  templates,
  codSettings,
  blocked,
  messages,
  confirmations,
  charts,
  phone,
  recipients,
  search,
  system,
})

export type DashboardRouter = typeof dashboardRouter
