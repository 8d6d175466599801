import { z } from 'zod'
import { later } from '../lib/clock.ts'
import { languageStarts } from '../cod/settings/language-starts.ts'
import { previewOf } from '../cod/settings/preview.ts'
import { findStoredSettings } from '../cod/settings/settings-store.ts'
import { WEEKDAYS, defaultSettings, limits, readCodSettings } from '../cod/settings/settings.ts'
import { codSettingsActions } from './actions/cod-settings.ts'
import { callsOf, readCall, router } from './rpc/trpc.ts'
import { listTemplateNames } from '../accounts/templates/stored.ts'

export const codSettings = router({
  ...callsOf(codSettingsActions),

  get: readCall.query(async ({ ctx: { parts }, input: { workspaceId } }) => ({
    stored: (await findStoredSettings(parts.db, workspaceId)) ?? null,
    templates: (await listTemplateNames(parts.db, workspaceId)).filter(({ category }) => category === 'UTILITY'),
    starts: languageStarts,
    limits,
    defaults: defaultSettings('UTC'),
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
})
