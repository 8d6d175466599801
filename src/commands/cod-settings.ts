import { type CodSettings, readCodSettings } from '../cod/settings/settings.ts'
import { codSettingsActions } from '../admin/actions/cod-settings.ts'
import { findStoredSettings } from '../cod/settings/settings-store.ts'
import { inEnglish } from '../../locales/resources.ts'
import { asWritten } from '../../locales/text.ts'
import { UserError } from '../lib/errors.ts'
import { act, command, InputError } from './command.ts'
import { required, workspace } from './inputs.ts'
import { readJsonFile } from './json-file.ts'

const codSettingsSet = command({
  words: 'cod-settings set',
  example: '--workspace 01a1fa06-709a-73f6-8b1e-b4852403567f --file cod-settings.json',
  summary: 'Set the cash-on-delivery settings of a workspace from a JSON file.',
  options: {
    workspace,
    file: required(
      'path',
      'The JSON file, in the format of docs/cod-settings.md; "-" reads standard input.',
      readSettings,
    ),
  },
  async run(operator, { workspace: workspaceId, file: settings }) {
    await act(codSettingsActions.set, operator, { workspaceId, settings })
    return settings
  },
  format: (settings) => `The settings are stored.\n${formatSettings(settings)}`,
})

const codSettingsGet = command({
  words: 'cod-settings get',
  example: '--workspace 01a1fa06-709a-73f6-8b1e-b4852403567f --json',
  summary: 'Show the cash-on-delivery settings of a workspace; with --json, as a file for “doorcode cod-settings set”.',
  options: { workspace },
  async run({ db }, { workspace }) {
    const settings = (await findStoredSettings(db, workspace))?.settings
    if (!settings)
      throw new UserError(
        asWritten(`The workspace ${workspace} has no cash-on-delivery settings yet.`),
        'COD_NOT_CONFIGURED',
      )
    return settings
  },
  format: formatSettings,
})

function formatSettings({ timeZone, deliveryDays, confirmation, refusal, languages }: CodSettings): string {
  const { offered, skipWeekdays } = deliveryDays
  return [
    `Time zone      ${timeZone}`,
    `Delivery days  ${offered} offered from tomorrow${skipWeekdays.length > 0 ? `, never ${skipWeekdays.join(', ')}` : ''}`,
    `Confirmation   ${formatTimers(confirmation)}`,
    `Refusal check  ${formatTimers(refusal)}`,
    `Languages      ${Object.keys(languages).join(', ') || 'none: orders cannot be confirmed yet'}`,
  ].join('\n')
}

const formatTimers = ({ reminderMinutes, noResponseMinutes }: CodSettings['confirmation']): string =>
  `${reminderMinutes === null ? 'no reminder' : `reminder after ${reminderMinutes} minutes`}, no response after ${noResponseMinutes} minutes`

/** Runs while the command line is parsed, so that faults are reported before the database is opened. */
async function readSettings(name: string): Promise<CodSettings> {
  const outcome = readCodSettings(await readJsonFile(name))
  if ('settings' in outcome) return outcome.settings
  const lines = outcome.faults.map(({ pointer, detail }) => `\n  ${pointer || 'the whole file'} ${inEnglish(detail)}`)
  throw new InputError(`${lines.length === 1 ? 'has a fault' : `has ${lines.length} faults`}:${lines.join('')}`)
}

export const codSettingsCommands = [codSettingsSet, codSettingsGet]
