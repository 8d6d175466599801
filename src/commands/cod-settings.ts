import { type CodSettings, readCodSettings } from '../cod/settings.ts'
import { findCodSettings, lockCodSettings, setCodSettings } from '../cod/settings-store.ts'
import { asWritten } from '../sentences.ts'
import { SetupRefused } from '../setup-refused.ts'
import { workspaceMustExist } from '../workspaces/workspaces.ts'
import { command, Misread, required } from './command.ts'
import { uuid } from './inputs.ts'
import { readJsonFile } from './json-file.ts'

export const codSettingsSet = command({
  words: 'cod-settings set',
  summary: 'Set how a workspace asks about orders, from a JSON file (docs/cod-settings.md); "-" is standard input.',
  options: { workspace: required(uuid('W')), file: required({ placeholder: 'F', read: readSettings }) },
  changes: true,
  async run({ db, clock }, { workspace: workspaceId, file: settings }, record) {
    await workspaceMustExist(db, workspaceId)
    await db.transaction(async (tx) => {
      const before = await lockCodSettings(tx, workspaceId)
      await setCodSettings(tx, clock, { workspaceId, settings })
      await record(tx, { workspaceId, target: 'COD settings', before: before?.settings, after: settings })
    })
    return settings
  },
  tell: (settings) => `The settings are stored.\n${inWords(settings)}`,
})

export const codSettingsGet = command({
  words: 'cod-settings get',
  summary: 'Tell how a workspace asks about orders; with --json, the file that would set it so.',
  options: { workspace: required(uuid('W')) },
  changes: false,
  async run({ db }, { workspace }) {
    await workspaceMustExist(db, workspace)
    const settings = await findCodSettings(db, workspace)
    if (!settings)
      throw new SetupRefused(
        asWritten(`The workspace ${workspace} has no cash-on-delivery settings yet.`),
        'COD_NOT_CONFIGURED',
      )
    return settings
  },
  tell: inWords,
})

function inWords({ timeZone, deliveryDays, confirmation, refusal, languages }: CodSettings): string {
  const { offered, skipWeekdays } = deliveryDays
  return [
    `Time zone      ${timeZone}`,
    `Delivery days  ${offered} offered from tomorrow${skipWeekdays.length > 0 ? `, never ${skipWeekdays.join(', ')}` : ''}`,
    `Confirmation   ${timersInWords(confirmation)}`,
    `Refusal check  ${timersInWords(refusal)}`,
    `Languages      ${Object.keys(languages).join(', ') || 'none yet: no check can be made'}`,
  ].join('\n')
}

const timersInWords = ({ reminderMinutes, noResponseMinutes }: CodSettings['confirmation']): string =>
  `${reminderMinutes === null ? 'no reminder' : `reminder after ${reminderMinutes} minutes`}, no response after ${noResponseMinutes} minutes`

/** Read and checked with the command line, so that its faults are told before anything is opened. */
function readSettings(name: string): CodSettings {
  const outcome = readCodSettings(readJsonFile(name))
  if ('settings' in outcome) return outcome.settings
  const lines = outcome.faults.map(({ pointer, detail }) => `\n  ${pointer || 'the whole'} ${detail}`)
  throw new Misread(`${lines.length === 1 ? 'has a fault' : `has ${lines.length} faults`}:${lines.join('')}`)
}
