import { z } from 'zod'
import { later } from '../lib/clock.ts'
import { languageStarts } from '../cod/settings/language-starts.ts'
import { previewOf } from '../cod/settings/preview.ts'
import { changedMembers, diffSettings } from '../cod/settings/settings-changes.ts'
import { findStoredSettings, replaceCodSettings } from '../cod/settings/settings-store.ts'
import { WEEKDAYS, defaults, limits, readCodSettings } from '../cod/settings/settings.ts'
import { adminChange, readCall, router } from './rpc/trpc.ts'
import { listTemplateNames } from '../accounts/templates/stored.ts'

export const codSettings = router({
  get: readCall.query(async ({ ctx: { parts }, input: { workspaceId } }) => ({
    stored: (await findStoredSettings(parts.db, workspaceId)) ?? null,
    templates: (await listTemplateNames(parts.db, workspaceId)).filter(({ category }) => category === 'UTILITY'),
    starts: languageStarts,
    limits,
    defaults,
    weekdays: WEEKDAYS,
  })),

  /** The faults of unsaved settings, and a preview of the messages. */
  tryOut: readCall
    .meta({ changesNothing: true })
    .input(z.object({ settings: z.unknown(), language: z.string().max(100).nullable() }))
    .mutation(({ ctx: { parts, membership }, input: { settings, language } }) => {
      const parsed = readCodSettings(settings)
      const now = later(parts.clock.now(), membership.clockOffsetMs)
      return {
        faults: 'faults' in parsed ? parsed.faults : [],
        preview: language === null ? null : previewOf(settings, language, now),
      }
    }),

  save: adminChange
    .input(z.object({ settings: z.unknown(), basedOn: z.iso.datetime().nullable() }))
    .mutation(async ({ ctx: { tx, parts, record }, input: { workspaceId, settings: json, basedOn: base } }) => {
      const parsed = readCodSettings(json)
      if ('faults' in parsed) return { outcome: 'faulty' as const, faults: parsed.faults }
      const { settings } = parsed
      const basedOn = base === null ? null : new Date(base)
      const replaced = await replaceCodSettings(tx, parts.clock, { workspaceId, settings, basedOn })
      if (!replaced)
        return { outcome: 'conflict' as const, stored: (await findStoredSettings(tx, workspaceId)) ?? null }
      const changes = diffSettings(replaced.before?.settings, settings)
      const members = changedMembers(replaced.before?.settings, settings)
      await record({ action: 'cod_settings.changed', target: workspaceId, ...members })
      return { outcome: 'saved' as const, settings, changes, updatedAt: replaced.updatedAt }
    }),
})
