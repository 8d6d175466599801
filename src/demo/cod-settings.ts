import { readCodSettings } from '../cod/settings.ts'
import { findCodSettings, setCodSettings } from '../cod/settings-store.ts'
import type { Parts } from '../parts.ts'

/** In the two languages of the twin's order_confirmation. */
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
        notePrompt: 'أخبرنا بكلمات قليلة من فضلك.',
      },
      timeRanges: ['09:00-12:00', '12:00-18:00'],
      refusalReasons: ['وصل متأخرا', 'كان تالفا', 'لم أعد أريده'],
      closingMessages: { confirmation: 'شكرا، سجلنا ذلك.', refusal: 'شكرا لإخبارنا.' },
    },
  },
}

/** Only where there are none yet: whoever changed them finds them again. */
export async function openDemoSettings({ db, clock }: Parts, workspaceId: string): Promise<void> {
  if (await findCodSettings(db, workspaceId)) return
  const read = readCodSettings(DEMO_SETTINGS)
  if ('faults' in read) throw new Error(`the demo's settings are faulty: ${JSON.stringify(read.faults)}`)
  await setCodSettings(db, clock, { workspaceId, settings: read.settings })
}
