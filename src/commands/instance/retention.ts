import { commit } from '../../admin/actions/action.ts'
import { inEnglish } from '../../../locales/resources.ts'
import { findUncountedSince } from '../../charts/daily.ts'
import { type Finding, findingText, toFinding } from '../../operations/doctor/finding.ts'
import { SETTINGS, heldFinding, shorterSettings } from '../../operations/doctor/work/retention.ts'
import { listNodes } from '../../runtime/jobs/node.ts'
import type { Parts } from '../../runtime/parts.ts'
import { confirmRemoval, keptByWorkers, readAndCheck } from '../../operations/lifecycle/retention/guard.ts'
import type { Keep } from '../../operations/lifecycle/retention/hold.ts'
import { type RemovalPreview, previewRemoval } from '../../operations/lifecycle/retention/due.ts'
import { command, columns } from '../command.ts'
import { flag } from '../inputs.ts'

const retentionPreview = command({
  words: 'retention preview',
  example: '--json',
  summary:
    'Show why removal of old data has stopped, if it has, and how many rows would be removed now, by class and up to which date.',
  run: findPreview,
  format: (preview) => formatPreview(preview).join('\n'),
})

const retentionConfirm = command({
  words: 'retention confirm',
  example: '--yes',
  summary:
    'Confirm that the clocks are right and the settings are intended, so that removal of old data continues. Shows what “doorcode retention preview” shows.',
  options: { yes: flag('Required: what is removed cannot be restored. Without it, nothing is confirmed.') },
  async run(operator, { yes }) {
    const preview = await findPreview(operator)
    const { held, waiting, state, databaseTime: now, keep } = preview
    if (held?.code === 'removal_held_clocks' || (!held && waiting.length === 0) || !yes)
      return { ...preview, confirmed: false }
    await commit(operator, null, async (tx, record) => {
      await confirmRemoval(tx, { now, keep })
      const before = state && { trustedAt: state.trustedAt, ...state.keep }
      const after = { trustedAt: now, ...keep }
      await record({ action: 'retention.confirmed', target: now.toISOString(), before, after })
    })
    return { ...preview, confirmed: true }
  },
  failed: ({ confirmed, held, waiting }) => !confirmed && (held !== null || waiting.length > 0),
  format({ confirmed, ...preview }) {
    const { held, waiting } = preview
    const lines = formatPreview(preview)
    if (confirmed) lines.push('Confirmed: removal continues within five minutes.')
    else if (held?.code === 'removal_held_clocks')
      lines.push('Nothing was confirmed: correct the clock. Removal then continues without a confirmation.')
    else if (held || waiting.length > 0)
      lines.push('Nothing was confirmed. If this is right, add --yes: what is removed cannot be restored.')
    else lines.push('Nothing needs a confirmation.')
    return lines.join('\n')
  },
})

type Preview = Awaited<ReturnType<typeof findPreview>>

/** With the settings of the running workers, or of this process if none runs: what applies after a confirmation. */
async function findPreview({ db, config }: Pick<Parts, 'db' | 'config'>) {
  const keep: Keep = keptByWorkers(await listNodes(db)) ?? config.keep
  const { now, hold, state, keep: inForce } = await readAndCheck(db, { keep, isWorker: false })
  const { classes, workspaces } = await previewRemoval(db, { now, keep, findUncountedSince })
  return {
    databaseTime: now,
    thisMachineTime: new Date(),
    held: hold ? toFinding('retention', heldFinding(hold)) : null,
    waiting: shorterSettings(keep, inForce).map((each) => toFinding('retention', each)),
    keep,
    state: state ?? null,
    classes,
    workspacesDueForDeletion: workspaces,
  }
}

const textOf = (finding: Finding): string => inEnglish(findingText(finding))

function formatPreview({ databaseTime, thisMachineTime, held, waiting, ...would }: Omit<Preview, 'keep' | 'state'>) {
  const table = columns(['CLASS', 'OLDER THAN', 'TABLE', 'ROWS'], would.classes.flatMap(rowsOf))
  return [
    `The database's clock: ${databaseTime.toISOString()}`,
    `This machine's clock: ${thisMachineTime.toISOString()}`,
    ...(held ? [textOf(held)] : ['Removal has not stopped.']),
    ...waiting.map(textOf),
    '',
    'Rows that would be removed now, or whose content would be:',
    table ?? 'None: everything is kept forever.',
    `Workspaces that would be deleted now: ${would.workspacesDueForDeletion}`,
    '',
  ]
}

const rowsOf = ({ class: keptClass, days, until, tables }: RemovalPreview['classes'][number]): string[][] =>
  tables.map(({ table, rows, more }, index) => [
    index === 0 ? `${keptClass} (${SETTINGS[keptClass]}=${days})` : '',
    index === 0 ? until.toISOString() : '',
    table,
    rows === null ? 'unknown: the database could not count them now' : more ? `${rows} or more` : String(rows),
  ])

export const retentionCommands = [retentionPreview, retentionConfirm]
