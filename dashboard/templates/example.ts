import type { ApiRequest } from '../code-examples/request.ts'
import { type Read, parametersIn } from './preview.ts'
import type { Use } from './search.ts'

/** A complete request that uses the template; docs/api.md has the optional fields. */
export function exampleOf(
  template: Read & { name: string },
  { use, senderId, baseUrl }: { use: Use; senderId: string | null; baseUrl: string },
): ApiRequest {
  const { name, language } = template
  const who = { to: '+212600000001', senderId: senderId ?? '<Sender ID>' }
  const parameters = use === 'otp' ? {} : exampleParameters(template)
  const [path, body] = {
    otp: ['/otp/messages', { ...who, template: { name, language }, code: '493817' }],
    confirmation: ['/cod-confirmations', { ...who, template: { name, language }, ...parameters, reference: 'A-1001' }],
    refusal: ['/cod-confirmations/<confirmationId>/refusal-check', { template: { name, language }, ...parameters }],
  }[use] as [string, object]
  return { url: baseUrl + path, body }
}

function exampleParameters(template: Read): object {
  const { header, body } = parametersIn(template)
  const values = body.form === 'named' ? Object.fromEntries(body.values) : body.values.map(([, sample]) => sample)
  const parameters = { ...(header !== undefined && { header }), ...(body.values.length > 0 && { body: values }) }
  return Object.keys(parameters).length > 0 ? { parameters } : {}
}
