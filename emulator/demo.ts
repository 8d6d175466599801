import type { AccountSeed } from './accounts.ts'

export const DEMO = {
  accountId: '102030405060708',
  accessToken: 'EAAdemo0twin0access0token',
  appSecret: 'demo0twin0app0secret',
  verifyToken: 'demo-verify-token',
  standardNumberId: '110220330440551',
  standardNumber: '+1 555-010-0101',
  highNumberId: '110220330440552',
  highNumber: '+1 555-010-0102',
} as const

/** A business that can send at once: the same ids on every start. */
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
      orderConfirmation('90071992547400007', 'en', {
        body: 'Hello {{1}}, please confirm your order {{2}} of {{3}}, to be paid on delivery.',
        footer: 'Demo Shop',
        buttons: ['Confirm', 'Cancel', 'Change time'],
      }),
      orderConfirmation('90071992547400009', 'ar', {
        body: 'مرحبا {{1}}، يرجى تأكيد طلبك رقم {{2}} بقيمة {{3}} والدفع عند الاستلام.',
        footer: 'Demo Shop',
        buttons: ['تأكيد', 'إلغاء', 'تغيير الموعد'],
      }),
      {
        id: '90071992547400011',
        name: 'delivery_refusal',
        language: 'en',
        category: 'UTILITY',
        components: [
          {
            type: 'BODY',
            text: 'Hello {{1}}, our driver noted that you refused the delivery of order {{2}}. Is that right?',
            example: { body_text: [['Ana', 'A-1001']] },
          },
          quickReplies(['Yes', 'No']),
        ],
      },
      {
        id: '90071992547400013',
        name: 'summer_offer',
        language: 'en',
        category: 'MARKETING',
        components: [{ type: 'BODY', text: 'Everything for the beach costs a fifth less this week.' }],
      },
      {
        id: '90071992547400015',
        name: 'order_shipped',
        language: 'en',
        category: 'UTILITY',
        status: 'PENDING',
        components: [
          { type: 'BODY', text: 'Your order {{1}} has left our warehouse.', example: { body_text: [['A-1001']] } },
        ],
      },
      {
        id: '90071992547400017',
        name: 'order_delayed',
        language: 'en',
        category: 'UTILITY',
        status: 'PAUSED',
        quality_score: 'RED',
        components: [
          {
            type: 'BODY',
            text: 'Your order {{1}} comes a day later than planned.',
            example: { body_text: [['A-1001']] },
          },
        ],
      },
    ],
    ...changes,
  }
}

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

function orderConfirmation(
  id: string,
  language: string,
  texts: { body: string; footer: string; buttons: string[] },
): Seed {
  return {
    id,
    name: 'order_confirmation',
    language,
    category: 'UTILITY',
    components: [
      { type: 'BODY', text: texts.body, example: { body_text: [['Ana', 'A-1001', '25 EUR']] } },
      { type: 'FOOTER', text: texts.footer },
      quickReplies(texts.buttons),
    ],
  }
}

function quickReplies(labels: string[]) {
  return { type: 'BUTTONS', buttons: labels.map((text) => ({ type: 'QUICK_REPLY', text })) }
}
