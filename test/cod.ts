import assert from 'node:assert/strict'
import type { AccountSeed, Emulator, InboundSeed, ReportedStatus } from '../emulator/emulator.ts'
import { demoAccount } from '../emulator/emulator.ts'
import type { ConfirmationView } from '../src/cod/view.ts'
import { setCodSettings } from '../src/cod/settings-store.ts'
import { type CodSettings, readCodSettings } from '../src/cod/settings.ts'
import type { Parts } from '../src/parts.ts'
import type { Ask, Asked } from './ask.ts'

export type TwinMessage = ReturnType<Emulator['messages']>[number]

export type ConfirmationFields = {
  to: string
  senderId: string
  template: { name: string; language: string }
  parameters: unknown
  reference: string
}

export type CreatedConfirmation = { confirmationId: string; status: string; reference: string; to: string }

type RefusalFields = { template: { name: string; language: string }; parameters: unknown }

/** Settings of the contract's example (§9), and the same in Arabic. */
const SETTINGS = {
  timeZone: 'Africa/Casablanca',
  deliveryDays: { offered: 3, skipWeekdays: ['friday'] },
  confirmation: { reminderMinutes: 120, noResponseMinutes: 1_440 },
  refusal: { reminderMinutes: null, noResponseMinutes: 1_440 },
  languages: {
    en: {
      texts: {
        dayQuestion: 'Which day?',
        timeQuestion: 'At what time?',
        refusalReasonQuestion: 'Why?',
        reasonsListButton: 'Reasons',
        otherLabel: 'Other',
        notePrompt: 'Tell us more',
      },
      timeRanges: ['09:00-12:00', '12:00-18:00'],
      refusalReasons: ['Too late', 'Damaged'],
      closingMessages: { confirmation: 'Thank you!', refusal: null },
    },
    ar: {
      texts: {
        dayQuestion: 'أي يوم؟',
        timeQuestion: 'في أي وقت؟',
        refusalReasonQuestion: 'لماذا؟',
        reasonsListButton: 'الأسباب',
        otherLabel: 'سبب آخر',
        notePrompt: 'أخبرنا بالمزيد',
      },
      timeRanges: ['صباحا', 'مساء'],
      refusalReasons: ['متأخر', 'تالف'],
      closingMessages: { confirmation: 'شكرا لك', refusal: 'شكرا' },
    },
  },
}

/** The demo account, which has everything in English, with the Arabic refusal template and these. */
export function codAccount(...templates: NonNullable<AccountSeed['templates']>): Partial<AccountSeed> {
  const arabicRefusal = {
    name: 'delivery_refusal',
    language: 'ar',
    category: 'UTILITY' as const,
    components: [
      { type: 'BODY', text: 'مرحبا {{1}}، هل رفضت استلام طلبك رقم {{2}} اليوم؟' },
      quickReplies('نعم', 'لا'),
    ],
  }
  return { templates: [...(demoAccount().templates ?? []), arabicRefusal, ...templates] }
}

export const quickReplies = (...labels: string[]) => ({
  type: 'BUTTONS',
  buttons: labels.map((text) => ({ type: 'QUICK_REPLY', text })),
})

export const confirmationPath = '/api/v1/cod-confirmations'
export const refusalPath = ({ confirmationId }: { confirmationId: string }): string =>
  `${confirmationPath}/${confirmationId}/refusal-check`

type CodWorld = {
  parts: Parts
  workspaceId: string
  senderId: string
  twin: Emulator
  request: Ask
  settled: () => Promise<void>
  newPhone: () => string
}

/** What a world can say about cash on delivery. */
export function codOf({ parts, workspaceId, senderId, twin, request, settled, newPhone }: CodWorld) {
  const confirmationBody = (fields: Partial<ConfirmationFields> = {}): ConfirmationFields => ({
    to: newPhone(),
    senderId,
    template: { name: 'order_confirmation', language: 'en' },
    parameters: { body: ['Ana', '5521', '349 MAD'] },
    reference: 'order-5521',
    ...fields,
  })
  const refusalBody = (fields: Partial<RefusalFields> = {}): RefusalFields => ({
    template: { name: 'delivery_refusal', language: 'en' },
    parameters: { body: ['Ana', '5521'] },
    ...fields,
  })
  return {
    confirmationBody,
    refusalBody,

    /** Sets the workspace's settings: those of the contract's example, changed member by member. */
    async codSettings(changes: object = {}): Promise<CodSettings> {
      const read = readCodSettings(merged(SETTINGS, changes))
      assert.ok('settings' in read, JSON.stringify(read))
      await setCodSettings(parts.db, parts.clock, { workspaceId, settings: read.settings })
      return read.settings
    },

    /** Creates a confirmation that must be accepted. */
    async createConfirmation(
      fields: Partial<ConfirmationFields> = {},
      asked: Omit<Asked, 'body'> = {},
    ): Promise<CreatedConfirmation> {
      const body = confirmationBody(fields)
      const answer = await request('POST', confirmationPath, { body, ...asked })
      assert.equal(answer.status, 202, answer.text)
      return { ...(answer.body as Omit<CreatedConfirmation, 'to'>), to: body.to }
    },

    async getConfirmation({ confirmationId }: { confirmationId: string }): Promise<ConfirmationView> {
      const answer = await request('GET', `${confirmationPath}/${confirmationId}`)
      assert.equal(answer.status, 200, answer.text)
      return answer.body as ConfirmationView
    },

    /** Starts a refusal check that must be accepted. */
    async startRefusalCheck(
      confirmation: { confirmationId: string },
      fields: Partial<RefusalFields> = {},
      asked: Omit<Asked, 'body'> = {},
    ): Promise<void> {
      const answer = await request('POST', refusalPath(confirmation), { body: refusalBody(fields), ...asked })
      assert.equal(answer.status, 202, answer.text)
    },

    /** What the provider says of a message that is on a phone. */
    async reported(message: TwinMessage, ...statuses: ReportedStatus[]): Promise<void> {
      await twin.report(message, statuses)
      await settled()
    },

    /** Whoever is behind the number. What they do is processed when it resolves. */
    customer: (confirmation: { to: string }): Customer => customerOf({ twin, settled }, confirmation.to),
  }
}

export type Customer = ReturnType<typeof customerOf>

/** How a gesture comes: which message it answers, and what the webhook says or hides. */
type How = Omit<InboundSeed, 'from' | 'tap' | 'choose' | 'text'> & { on?: TwinMessage | undefined }

function customerOf({ twin, settled }: { twin: Emulator; settled: () => Promise<void> }, phone: string) {
  const inbound = async (seed: Omit<InboundSeed, 'from'>): Promise<string> => {
    const { id, posts } = await twin.inbound({ from: phone, ...seed })
    assert.ok(
      posts.every(({ state }) => state === 'answered'),
      'the program did not answer a webhook with 200',
    )
    await settled()
    return id
  }
  const screen = (): TwinMessage[] => twin.messages({ to: phone })
  return {
    phone,
    /** All that ever came to the phone, oldest first. */
    screen,
    texts: (): string[] => screen().map(({ shown }) => shown.body),
    last(): TwinMessage {
      const message = screen().at(-1)
      assert.ok(message, `nothing came to ${phone}`)
      return message
    },
    /** By place or label, on the latest message with buttons. Returns the id of the reply. */
    taps: (button: number | string, { on, ...how }: How = {}) =>
      inbound({ tap: { button, ...(on && { message: on.id }) }, ...how }),
    chooses: (row: number | string, { on, ...how }: How = {}) =>
      inbound({ choose: { row, ...(on && { message: on.id }) }, ...how }),
    types: (text: string, { on, ...how }: How = {}) => inbound({ text, ...(on && { quote: on.id }), ...how }),
    /** An earlier webhook once more. */
    repeats: (id: string) => inbound({ again: id }),
    sends: (seed: Omit<InboundSeed, 'from'>) => inbound(seed),
  }
}

/** Objects member by member; everything else as a whole. `undefined` takes a member out. */
function merged(base: unknown, changes: unknown): unknown {
  if (!isPlain(base) || !isPlain(changes)) return changes
  const names = new Set([...Object.keys(base), ...Object.keys(changes)])
  return Object.fromEntries(
    [...names]
      .map((name) => [name, Object.hasOwn(changes, name) ? merged(base[name], changes[name]) : base[name]] as const)
      .filter(([, value]) => value !== undefined),
  )
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
