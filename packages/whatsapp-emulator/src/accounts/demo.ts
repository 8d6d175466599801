import type { AccountSeed } from './accounts.ts'

export const DEMO = {
  accountId: '102030405060708',
  accessToken: 'EAAdemo0emulator0access0token',
  appSecret: 'demo0emulator0app0secret',
  verifyToken: 'demo-verify-token',
  standardNumberId: '110220330440551',
  standardNumber: '+1 555-010-0101',
  highNumberId: '110220330440552',
  highNumber: '+1 555-010-0102',
} as const

/** A business that can send immediately: the same ids on every start. */
export function demoAccount(changes: Partial<AccountSeed> = {}): AccountSeed {
  return {
    id: DEMO.accountId,
    name: 'Demo Shop',
    appSecret: DEMO.appSecret,
    accessToken: DEMO.accessToken,
    verifyToken: DEMO.verifyToken,
    numbers: [
      { id: DEMO.standardNumberId, displayPhoneNumber: DEMO.standardNumber, verifiedName: 'Demo Shop' },
      {
        id: DEMO.highNumberId,
        displayPhoneNumber: DEMO.highNumber,
        verifiedName: 'Demo Shop Fast',
        throughput: 'HIGH',
      },
    ],
    templates: [
      loginCode('90071992547400001', 'en_US', 'Copy code'),
      loginCode('90071992547400003', 'ar', 'نسخ الرمز'),
      loginCode('90071992547400005', 'fr', 'Copier le code'),
      utility('90071992547400007', 'order_confirmation', {
        text: 'Hello {{1}}, please confirm your order {{2}} of {{3}}, to be paid on delivery.',
        samples: ['Ana', 'A-1001', '25 EUR'],
        footer: 'Demo Shop',
        replies: ['Confirm', 'Cancel', 'Change time'],
      }),
      utility('90071992547400009', 'order_confirmation', {
        language: 'ar',
        text: 'مرحبا {{1}}، يرجى تأكيد طلبك رقم {{2}} بقيمة {{3}} والدفع عند الاستلام.',
        samples: ['Ana', 'A-1001', '25 EUR'],
        footer: 'Demo Shop',
        replies: ['تأكيد', 'إلغاء', 'تغيير الموعد'],
      }),
      utility('90071992547400011', 'delivery_refusal', {
        text: 'Hello {{1}}, our driver noted that you refused the delivery of order {{2}}. Is that right?',
        samples: ['Ana', 'A-1001'],
        replies: ['Yes', 'No'],
      }),
      {
        id: '90071992547400013',
        name: 'summer_offer',
        language: 'en',
        category: 'MARKETING',
        components: [{ type: 'BODY', text: 'Everything for the beach costs a fifth less this week.' }],
      },
      utility('90071992547400015', 'order_shipped', {
        text: 'Your order {{1}} has left our warehouse.',
        samples: ['A-1001'],
        status: 'PENDING',
      }),
      utility('90071992547400017', 'order_delayed', {
        text: 'Your order {{1}} comes a day later than planned.',
        samples: ['A-1001'],
        status: 'PAUSED',
        quality_score: 'RED',
      }),
    ],
    ...changes,
  }
}

/** The same business with its messages to customers in each language of a Moroccan shop. */
export const shopAccount = (): AccountSeed => demoAccount({ templates: shopTemplates() })

export const shopTemplates = (): Seed[] => [...(demoAccount().templates ?? []), ...translations()]

const translations = (): Seed[] => [
  utility('90071992547400019', 'order_confirmation', {
    language: 'fr',
    text: 'Bonjour {{1}}, merci de confirmer votre commande {{2}} de {{3}}, à payer à la livraison.',
    samples: ['Ana', 'A-1001', '25 EUR'],
    footer: 'Demo Shop',
    replies: ['Confirmer', 'Annuler', 'Changer la date'],
  }),
  utility('90071992547400021', 'delivery_refusal', {
    language: 'fr',
    text: 'Bonjour {{1}}, notre livreur a noté que vous avez refusé la commande {{2}}. Est-ce exact ?',
    samples: ['Ana', 'A-1001'],
    replies: ['Oui', 'Non'],
  }),
  utility('90071992547400023', 'delivery_refusal', {
    language: 'ar',
    text: 'مرحبا {{1}}، سجّل المندوب أنك رفضت استلام الطلب {{2}}. هل هذا صحيح؟',
    samples: ['Ana', 'A-1001'],
    replies: ['نعم', 'لا'],
  }),
]

type Seed = NonNullable<AccountSeed['templates']>[number]

function loginCode(id: string, language: string, button: string): Seed {
  return {
    id,
    name: 'login_code',
    language,
    category: 'AUTHENTICATION',
    message_send_ttl_seconds: 600,
    components: [
      { type: 'BODY', add_security_recommendation: true },
      { type: 'FOOTER', code_expiration_minutes: 10 },
      { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE', text: button }] },
    ],
  }
}

type Texts = Partial<Seed> & { text: string; samples: string[]; footer?: string; replies?: string[] }

function utility(id: string, name: string, { text, samples, footer, replies, ...seed }: Texts): Seed {
  const buttons = replies?.map((reply) => ({ type: 'QUICK_REPLY', text: reply }))
  return {
    id,
    name,
    language: 'en',
    category: 'UTILITY',
    ...seed,
    components: [
      { type: 'BODY', text, example: { body_text: [samples] } },
      ...(footer === undefined ? [] : [{ type: 'FOOTER', text: footer }]),
      ...(buttons === undefined ? [] : [{ type: 'BUTTONS', buttons }]),
    ],
  }
}
