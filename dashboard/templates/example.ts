import { type Read, parametersIn } from './preview.ts'
import type { Use } from './search.ts'

/** A complete request that uses the template; docs/api.md has the optional fields. */
export function exampleOf(
  template: Read & { name: string },
  { use, senderId }: { use: Use; senderId: string | null },
): { call: string; body: string } {
  const { name, language } = template
  const who = { to: '+212600000001', senderId: senderId ?? '<Sender ID>' }
  const parameters = use === 'otp' ? {} : exampleParameters(template)
  const [call, body] = {
    otp: ['POST /api/v1/otp/messages', { ...who, template: { name, language }, code: '493817' }],
    confirmation: [
      'POST /api/v1/cod-confirmations',
      { ...who, template: { name, language }, ...parameters, reference: 'A-1001' },
    ],
    refusal: [
      'POST /api/v1/cod-confirmations/<confirmationId>/refusal-check',
      { template: { name, language }, ...parameters },
    ],
  }[use] as [string, object]
  return { call, body: JSON.stringify(body, null, 2) }
}

function exampleParameters(template: Read): object {
  const { header, body } = parametersIn(template)
  const values = body.form === 'named' ? Object.fromEntries(body.values) : body.values.map(([, sample]) => sample)
  const parameters = { ...(header !== undefined && { header }), ...(body.values.length > 0 && { body: values }) }
  return Object.keys(parameters).length > 0 ? { parameters } : {}
}
