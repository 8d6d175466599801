import { inEnglish } from '../../../locales/resources.ts'
import { commit } from '../../admin/actions/action.ts'
import { listQuarantined, releaseQuarantined } from '../../operations/doctor/work/quarantine.ts'
import type { QuarantinedRow } from '../../runtime/jobs/retry.ts'
import { command, notFound } from '../command.ts'
import { argument, optional, uuid } from '../inputs.ts'

const quarantineList = command({
  words: 'quarantine list',
  example: '--workspace 01a1fa06-709a-73f6-8b1e-b4852403567f',
  summary: 'List the reports, messages and timers that failed on every attempt.',
  options: { workspace: optional(uuid('Only rows of this workspace. Default: all workspaces.')) },
  async run({ db }, { workspace }) {
    const quarantined = await listQuarantined(db, workspace ?? null)
    return { quarantined: quarantined.map(({ fault, ...each }) => ({ ...each, fault: fault && inEnglish(fault) })) }
  },
  format: ({ quarantined }) => quarantined.map(formatLine).join('\n') || 'Nothing is quarantined.',
})

type Row = Omit<QuarantinedRow, 'fault'> & { fault: string | null }

const formatLine = ({ kind, id, workspaceId, since, fault }: Row): string =>
  `${id}  ${kind.padEnd('message'.length)}  workspace ${workspaceId}  since ${since.toISOString()}  ${fault ?? ''}`.trim()

const quarantineRelease = command({
  words: 'quarantine release',
  example: '01a1fa06-709a-73f6-8b1e-b4852403567f',
  summary: 'Retry a quarantined report, message or timer after the cause of its failure was fixed.',
  options: { id: argument(uuid('The id that “doorcode quarantine list” shows.')) },
  async run(operator, { id }) {
    const released = await commit(operator, null, async (tx, record) => {
      const row = await releaseQuarantined(tx, id, operator.clock.now())
      if (!row) throw notFound(`Nothing with the id ${id} is quarantined. “doorcode quarantine list” shows what is.`)
      await record({ workspaceId: row.workspaceId, action: 'quarantine.released', target: id })
      return row
    })
    operator.wake('reports')
    return { id, ...released, released: true }
  },
  format: ({ kind }) => `The ${kind} will be tried again now.`,
})

export const quarantineCommands = [quarantineList, quarantineRelease]
