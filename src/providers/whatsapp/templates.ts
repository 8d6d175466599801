import type {
  NewCodeTemplate,
  NewQuestionTemplate,
  NewTemplate,
  ParameterValue,
  ProviderAccount,
  SubmittedTemplate,
} from '../provider.ts'
import { call } from './call.ts'
import type { Graph } from './graph.ts'
import { textOf } from './json.ts'

/** whatsapp-cloud-api.md §5.3 */
export async function createTemplate(
  graph: Graph,
  account: ProviderAccount,
  { name, language, ...template }: NewTemplate,
): Promise<SubmittedTemplate> {
  const form = template.kind === 'code' ? codeForm(template) : questionForm(template)
  const answer = await call(graph, account, {
    what: 'creating the template',
    method: 'POST',
    path: `/${account.wabaId}/message_templates`,
    body: JSON.stringify({ name, language, ...form }),
  })
  return {
    providerTemplateId: textOf(answer.id) ?? '',
    status: textOf(answer.status) ?? 'PENDING',
    category: textOf(answer.category) ?? form.category,
  }
}

/** Without the id all languages of the name would go. */
export async function deleteTemplate(
  graph: Graph,
  account: ProviderAccount,
  { name, providerTemplateId }: { name: string; providerTemplateId: string },
): Promise<void> {
  const query = `name=${encodeURIComponent(name)}&hsm_id=${encodeURIComponent(providerTemplateId)}`
  await call(graph, account, {
    what: 'deleting the template',
    method: 'DELETE',
    path: `/${account.wabaId}/message_templates?${query}`,
  })
}

const codeForm = ({ securityAdvice, expiryMinutes, copyLabel, sendTtlSeconds }: Omit<NewCodeTemplate, 'kind'>) => ({
  category: 'AUTHENTICATION',
  ...(sendTtlSeconds !== null && { message_send_ttl_seconds: sendTtlSeconds }),
  components: [
    { type: 'BODY', add_security_recommendation: securityAdvice },
    ...(expiryMinutes === null ? [] : [{ type: 'FOOTER', code_expiration_minutes: expiryMinutes }]),
    {
      type: 'BUTTONS',
      buttons: [{ type: 'OTP', otp_type: 'COPY_CODE', ...(copyLabel !== null && { text: copyLabel }) }],
    },
  ],
})

const questionForm = ({ parameterFormat, header, body, footer, quickReplies }: Omit<NewQuestionTemplate, 'kind'>) => ({
  category: 'UTILITY',
  parameter_format: parameterFormat,
  components: [
    ...(header === null
      ? []
      : [{ type: 'HEADER', format: 'TEXT', text: header.text, ...exampleOf('header', header.samples) }]),
    { type: 'BODY', text: body.text, ...exampleOf('body', body.samples) },
    ...(footer === null ? [] : [{ type: 'FOOTER', text: footer }]),
    { type: 'BUTTONS', buttons: quickReplies.map((text) => ({ type: 'QUICK_REPLY', text })) },
  ],
})

/** Samples are demanded for each variable; a header has a list of them and a body a list of lists (§5.1). */
function exampleOf(part: 'header' | 'body', samples: readonly ParameterValue[]): object {
  if (samples.length === 0) return {}
  if (samples.some(({ name }) => name !== null)) {
    const named = samples.map(({ name, text }) => ({ param_name: name, example: text }))
    return { example: { [`${part}_text_named_params`]: named } }
  }
  const texts = samples.map(({ text }) => text)
  return { example: { [`${part}_text`]: part === 'body' ? [texts] : texts } }
}
