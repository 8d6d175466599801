import { z } from 'zod'
import { changedMembers, diffSettings } from '../../cod/settings/settings-changes.ts'
import { findStoredSettings, replaceCodSettings } from '../../cod/settings/settings-store.ts'
import { type CodSettings, readCodSettings } from '../../cod/settings/settings.ts'
import { type Operator, action, commit, onlyForCommands } from './action.ts'

type NewSettings = {
  workspaceId: string
  /** Any JSON. */
  settings: unknown
  /** See `replaceCodSettings`. */
  basedOn: Date | null | undefined
}

async function store(operator: Operator, { workspaceId, settings: json, basedOn }: NewSettings) {
  const parsed = readCodSettings(json)
  if ('faults' in parsed) return { outcome: 'faulty' as const, faults: parsed.faults }
  const { settings } = parsed
  return commit(operator, workspaceId, async (tx, record) => {
    const replaced = await replaceCodSettings(tx, operator.clock, { workspaceId, settings, basedOn })
    if (!replaced) return { outcome: 'conflict' as const, stored: (await findStoredSettings(tx, workspaceId)) ?? null }
    const changes = diffSettings(replaced.before?.settings, settings)
    const members = changedMembers(replaced.before?.settings, settings)
    await record({ action: 'cod_settings.changed', target: workspaceId, ...members })
    return { outcome: 'saved' as const, settings, changes, updatedAt: replaced.updatedAt }
  })
}

export const codSettingsActions = {
  /** Saves a page's edits, unless another person has saved since. The type is for the page: `readCodSettings` checks the value. */
  save: action(
    'admin',
    z.object({ settings: z.custom<CodSettings>(), basedOn: z.iso.datetime().nullable() }),
    (operator, { basedOn, ...input }) =>
      store(operator, { ...input, basedOn: basedOn === null ? null : new Date(basedOn) }),
  ),

  /** Replaces whatever is stored. A page saves only what was not changed since it was read. */
  set: onlyForCommands(
    action('admin', z.object({ settings: z.unknown() }), (operator, input) =>
      store(operator, { ...input, basedOn: undefined }),
    ),
  ),
}
