import { readCodSettings } from '../../cod/settings/settings.ts'
import { findStoredSettings, setCodSettings } from '../../cod/settings/settings-store.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Sql } from '../../lib/db/pool.ts'

/** In the languages of the emulator's order_confirmation template. */
const SHOP_SETTINGS = {
  timeZone: 'Africa/Casablanca',
  deliveryDays: { offered: 3, skipWeekdays: ['friday'] },
  confirmation: { reminderMinutes: 120, noResponseMinutes: 720 },
  refusal: { reminderMinutes: null, noResponseMinutes: 1440 },
  languages: {
    en: {
      texts: {
        dayQuestion: 'Which day suits you?',
        timeQuestion: 'At what time?',
        refusalReasonQuestion: 'Why did you refuse the parcel?',
        reasonsListButton: 'Reasons',
        otherLabel: 'Another reason',
        notePrompt: 'Please tell us in a few words.',
      },
      timeRanges: ['09:00-12:00', '12:00-18:00'],
      refusalReasons: ['It came too late', 'It was damaged', 'I no longer want it'],
      closingMessages: { confirmation: 'Thank you, we have noted it.', refusal: 'Thank you for telling us.' },
    },
    fr: {
      texts: {
        dayQuestion: 'Quel jour vous convient ?',
        timeQuestion: 'À quelle heure ?',
        refusalReasonQuestion: 'Pourquoi avez-vous refusé le colis ?',
        reasonsListButton: 'Raisons',
        otherLabel: 'Autre raison',
        notePrompt: 'Dites-le-nous en quelques mots.',
      },
      timeRanges: ['09:00-12:00', '12:00-18:00'],
      refusalReasons: ['Livré trop tard', 'Colis abîmé', 'Je n’en veux plus'],
      closingMessages: { confirmation: 'Merci, c’est noté.', refusal: 'Merci de nous l’avoir dit.' },
    },
    ar: {
      texts: {
        dayQuestion: 'أي يوم يناسبك؟',
        timeQuestion: 'في أي وقت؟',
        refusalReasonQuestion: 'لماذا رفضت الطرد؟',
        reasonsListButton: 'الأسباب',
        otherLabel: 'سبب آخر',
        notePrompt: 'أخبرنا بالسبب في بضع كلمات من فضلك.',
      },
      timeRanges: ['09:00-12:00', '12:00-18:00'],
      refusalReasons: ['وصل متأخرًا', 'كان تالفًا', 'لم أعد أريده'],
      closingMessages: { confirmation: 'شكرًا لك، سجّلنا جوابك.', refusal: 'شكرًا لإخبارنا.' },
    },
  },
}

/** Settings that a person stored stay. */
export async function ensureShopSettings(sql: Sql, clock: Clock, workspaceId: string): Promise<void> {
  if (await findStoredSettings(sql, workspaceId)) return
  const parsed = readCodSettings(SHOP_SETTINGS)
  if ('faults' in parsed) throw new Error(`the demo's settings are invalid: ${JSON.stringify(parsed.faults)}`)
  await setCodSettings(sql, clock, { workspaceId, settings: parsed.settings })
}
