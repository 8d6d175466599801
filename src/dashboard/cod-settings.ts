import { z } from 'zod'
import { later } from '../clock.ts'
import { languageStarts } from '../cod/language-starts.ts'
import { previewOf } from '../cod/preview.ts'
import { changesOf } from '../cod/settings-changes.ts'
import { findStoredSettings, replaceCodSettings } from '../cod/settings-store.ts'
import { type SettingsFault, WEEKDAYS, defaults, limits, readCodSettings } from '../cod/settings.ts'
import { listTemplateNames } from '../templates/names.ts'
import { audit } from './audit.ts'
import { changing, reading, router } from './trpc.ts'

export const codSettings = router({
  get: reading.query(async ({ ctx: { parts }, input: { workspaceId } }) => ({
    stored: (await findStoredSettings(parts.db, workspaceId)) ?? null,
    templates: (await listTemplateNames(parts.db, workspaceId)).filter(({ category }) => category === 'UTILITY'),
    starts: languageStarts,
    limits,
    defaults,
    weekdays: WEEKDAYS,
  })),

  /** What is wrong with settings that are being written, and what the customer would get. */
  tryOut: reading
    .meta({ changesNothing: true })
    .input(z.object({ settings: z.unknown(), language: z.string().max(100).nullable() }))
    .mutation(({ ctx: { parts, membership }, input: { settings, language } }) => ({
      faults: faultsOf(settings),
      preview: language === null ? null : previewOf(settings, language, now(parts.clock, membership)),
    })),

  save: changing
    .input(z.object({ settings: z.unknown(), basedOn: z.iso.datetime().nullable() }))
    .mutation(async ({ ctx: { parts, actor }, input: { workspaceId, settings: json, basedOn } }) => {
      const read = readCodSettings(json)
      if ('faults' in read) return { outcome: 'faulty' as const, faults: read.faults }
      const { settings } = read
      const saved = await parts.db.transaction(async (tx) => {
        const replaced = await replaceCodSettings(tx, parts.clock, {
          workspaceId,
          settings,
          basedOn: basedOn === null ? null : new Date(basedOn),
        })
        if (!replaced) return undefined
        const changes = changesOf(replaced.before?.settings, settings)
        const [before, after] = [byPointer(changes, 'before'), byPointer(changes, 'after')]
        const change = { workspaceId, action: 'cod_settings.changed', target: 'COD settings', before, after }
        await audit(tx, { actor, at: parts.clock.now() }, change)
        return { changes, updatedAt: replaced.updatedAt }
      })
      if (saved) return { outcome: 'saved' as const, settings, ...saved }
      return { outcome: 'overtaken' as const, stored: (await findStoredSettings(parts.db, workspaceId)) ?? null }
    }),
})

function faultsOf(settings: unknown): SettingsFault[] {
  const read = readCodSettings(settings)
  return 'faults' in read ? read.faults : []
}

const now = (clock: { now(): Date }, { clockOffsetMs }: { clockOffsetMs: number }): Date =>
  later(clock.now(), clockOffsetMs)

const byPointer = (changes: ReturnType<typeof changesOf>, side: 'before' | 'after'): object =>
  Object.fromEntries(changes.flatMap((change) => (change[side] === undefined ? [] : [[change.pointer, change[side]]])))
