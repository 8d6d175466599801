import assert from 'node:assert/strict'
import {
  type AccountSeed,
  type Emulator,
  type InboundSeed,
  type ReportedStatus,
  demoAccount,
} from '@doorcode/whatsapp-emulator'
import type { ConfirmationView } from '../../src/cod/view.ts'
import { setCodSettings } from '../../src/cod/settings/settings-store.ts'
import { type CodSettings, readCodSettings } from '../../src/cod/settings/settings.ts'
import type { Parts } from '../../src/runtime/parts.ts'
import type { Requester, SentRequest } from './requester.ts'

export type EmulatorMessage = ReturnType<Emulator['messages']>[number]

export type ConfirmationFields = {
  to: string
  senderId: string
  template: { name: string; language: string }
  parameters: unknown
  reference: string
}

export type CreatedConfirmation = { confirmationId: string; status: string; reference: string; to: string }

type RefusalFields = { template: { name: string; language: string }; parameters: unknown }

/** What must be set for a language, in English. */
export const ENGLISH = {
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
}

/** The settings of the example in docs/cod-settings.md, and the same in Arabic. */
const SETTINGS = {
  timeZone: 'Africa/Casablanca',
  deliveryDays: { offered: 3, skipWeekdays: ['friday'] },
  confirmation: { reminderMinutes: 120, noResponseMinutes: 1_440 },
  refusal: { reminderMinutes: null, noResponseMinutes: 1_440 },
  languages: {
    en: {
      ...ENGLISH,
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

/** The demo account, which has everything in English, with the Arabic refusal template and the ones below. */
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
  emulator: Emulator
  request: Requester
  settled: () => Promise<void>
  newPhone: () => string
}

/** What tests of cash on delivery do in a world. */
export function createCodHelpers({ parts, workspaceId, senderId, emulator, request, settled, newPhone }: CodWorld) {
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
  /** Creates a confirmation that must be accepted. */
  const createConfirmation = async (
    fields: Partial<ConfirmationFields> = {},
    options: Omit<SentRequest, 'body'> = {},
  ): Promise<CreatedConfirmation> => {
    const body = confirmationBody(fields)
    const answer = await request('POST', confirmationPath, { body, ...options })
    assert.equal(answer.status, 202, answer.text)
    return { ...(answer.body as Omit<CreatedConfirmation, 'to'>), to: body.to }
  }
  /** Creates a confirmation, and waits until its question is on the phone. */
  const askToConfirm = async (...of: Parameters<typeof createConfirmation>): Promise<CreatedConfirmation> => {
    const confirmation = await createConfirmation(...of)
    await settled()
    return confirmation
  }
  /** The customer with this number. Their actions are processed when the promise resolves. */
  const customer = ({ to }: { to: string }): Customer => customerOf({ emulator, settled }, to)
  /** Starts a refusal check that must be accepted. */
  const startRefusalCheck = async (
    confirmation: { confirmationId: string },
    fields: Partial<RefusalFields> = {},
    options: Omit<SentRequest, 'body'> = {},
  ): Promise<void> => {
    const answer = await request('POST', refusalPath(confirmation), { body: refusalBody(fields), ...options })
    assert.equal(answer.status, 202, answer.text)
  }
  return {
    confirmationBody,
    refusalBody,
    createConfirmation,
    startRefusalCheck,

    askToConfirm,

    /** A confirmation to which the customer has answered "Confirm". */
    async confirmedOrder(...of: Parameters<typeof createConfirmation>): Promise<CreatedConfirmation> {
      const order = await askToConfirm(...of)
      await customer(order).taps('Confirm')
      return order
    },

    /** Starts a refusal check, and waits until its question is on the phone. */
    async askAboutRefusal(...of: Parameters<typeof startRefusalCheck>): Promise<void> {
      await startRefusalCheck(...of)
      await settled()
    },

    /** Sets the workspace's settings to the example's, changed member by member. */
    async codSettings(changes: object = {}): Promise<CodSettings> {
      const read = readCodSettings(merged(SETTINGS, changes))
      assert.ok('settings' in read, JSON.stringify(read))
      await setCodSettings(parts.db, parts.clock, { workspaceId, settings: read.settings })
      return read.settings
    },

    async getConfirmation({ confirmationId }: { confirmationId: string }): Promise<ConfirmationView> {
      const answer = await request('GET', `${confirmationPath}/${confirmationId}`)
      assert.equal(answer.status, 200, answer.text)
      return answer.body as ConfirmationView
    },

    /** Reports statuses of a message that is on a phone. */
    async reported(message: EmulatorMessage, ...statuses: ReportedStatus[]): Promise<void> {
      await emulator.report(message, statuses)
      await settled()
    },

    customer,
  }
}

export type Customer = ReturnType<typeof customerOf>

/** The message that an action answers, and what its webhook shows or hides. */
type How = Omit<InboundSeed, 'from' | 'tap' | 'choose' | 'text'> & { on?: EmulatorMessage | undefined }

function customerOf({ emulator, settled }: { emulator: Emulator; settled: () => Promise<void> }, phone: string) {
  const inbound = async (seed: Omit<InboundSeed, 'from'>): Promise<string> => {
    const { id, posts } = await emulator.inbound({ from: phone, ...seed })
    assert.ok(
      posts.every(({ state }) => state === 'answered'),
      'the program did not answer a webhook with 200',
    )
    await settled()
    return id
  }
  const screen = (): EmulatorMessage[] => emulator.messages({ to: phone })
  return {
    phone,
    /** All messages on the phone, oldest first. */
    screen,
    texts: (): string[] => screen().map(({ shown }) => shown.body),
    last(): EmulatorMessage {
      const message = screen().at(-1)
      assert.ok(message, `nothing came to ${phone}`)
      return message
    },
    /** Taps a button by index or label, on the latest message with buttons. Returns the id of the reply. */
    taps: (button: number | string, { on, ...how }: How = {}) =>
      inbound({ tap: { button, ...(on && { message: on.id }) }, ...how }),
    chooses: (row: number | string, { on, ...how }: How = {}) =>
      inbound({ choose: { row, ...(on && { message: on.id }) }, ...how }),
    types: (text: string, { on, ...how }: How = {}) => inbound({ text, ...(on && { quote: on.id }), ...how }),
    /** Repeats an earlier webhook. */
    repeats: (id: string) => inbound({ again: id }),
    sends: (seed: Omit<InboundSeed, 'from'>) => inbound(seed),
  }
}

/** Merges objects member by member, and replaces everything else. `undefined` removes a member. */
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
