import { type Sql, statement } from '../db.ts'

export type TwinNumber = { senderId: string; phoneNumberId: string; graphUrl: string; accountId: string }

/** More are not asked for at once. */
const NUMBERS_MOST = 100

const selectNumbers = statement<TwinNumber>(
  'list_numbers_with_their_graph',
  `select s.id as "senderId", s.phone_number_id as "phoneNumberId", a.graph_url as "graphUrl", a.id as "accountId"
   from senders s
   join provider_accounts a on a.workspace_id = s.workspace_id and a.id = s.account_id
   where s.workspace_id = $1 and s.gone_at is null and a.graph_url ~ '^http://(127[.]0[.]0[.]1|localhost|\\[::1\\])(:|/|$)'
   order by s.id limit ${NUMBERS_MOST}`,
)

/** The workspace's senders whose accounts are on this machine, where nothing but a twin can be. */
export const listNumbersOnThisMachine = (sql: Sql, workspaceId: string): Promise<TwinNumber[]> =>
  sql.rows(selectNumbers, [workspaceId])
