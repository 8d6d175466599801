import { readCodSettings } from '../../cod/settings/settings.ts'
import { findStoredSettings, setCodSettings } from '../../cod/settings/settings-store.ts'
import type { Parts } from '../../runtime/parts.ts'

/** In the two languages of the emulator's order_confirmation template. */
const DEMO_SETTINGS = {
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

/** Settings that a person changed stay. */
export async function ensureDemoSettings({ db, clock }: Parts, workspaceId: string): Promise<void> {
  if (await findStoredSettings(db, workspaceId)) return
  const parsed = readCodSettings(DEMO_SETTINGS)
  if ('faults' in parsed) throw new Error(`the demo's settings are invalid: ${JSON.stringify(parsed.faults)}`)
  await setCodSettings(db, clock, { workspaceId, settings: parsed.settings })
}
