import type { SchemaState } from '../../db/migrate.ts'
import type { NewFinding } from '../finding.ts'

export function judgeSchema(schema: SchemaState): NewFinding[] {
  switch (schema.state) {
    case 'current':
      return []
    case 'missing':
      return [{ code: 'not_migrated' }]
    case 'before_first_release':
      return [{ code: 'database_before_first_release' }]
    case 'pending':
      return [{ code: 'migrations_pending', number: schema.pending }]
    case 'newer':
      return [{ code: 'database_newer', newest: schema.newest, known: schema.known }]
    case 'contracted': {
      const { newest, known, contracting } = schema
      return [{ code: 'database_contracted', newest, known, contracting }]
    }
  }
}
