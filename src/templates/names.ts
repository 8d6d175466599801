import { type Sql, statement } from '../db.ts'

export type TemplateName = { name: string; language: string; category: string; status: string }

/** The most that a person chooses from. */
const NAMES_MOST = 1_000

const selectNames = statement<TemplateName>(
  'list_template_names',
  `select distinct name, language, category, status from templates where workspace_id = $1
   order by name, language, category, status limit ${NAMES_MOST}`,
)

/** Every template of the workspace as it was at the last sync, whatever it can be used for. */
export const listTemplateNames = (sql: Sql, workspaceId: string): Promise<TemplateName[]> =>
  sql.rows(selectNames, [workspaceId])
