import { type Html, html, prose } from './html.ts'
import type { ApiDocument, Content, Operation, Parameter, Schema, WebhookOperation } from './openapi.ts'

/** The OpenAPI document as a page that needs no script. */
export function referencePage(document: ApiDocument): Html {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
  const events = Object.values(document.webhooks).map(({ post }) => post)
  return html`<h1>API reference</h1>
<nav aria-label="Contents"><ul>
<li><a href="#basics">Basics</a></li>
${operations.map(({ operation }) => html`<li><a href="#${operation.operationId}">${operation.summary}</a></li>`)}
<li><a href="#webhooks">Webhooks</a></li>
</ul></nav>
${basics(document)}
${operations.map((each) => operationSection(document, each))}
${webhookSection(document, events)}`
}

const basics = ({ servers }: ApiDocument): Html => html`<section aria-labelledby="basics">
<h2 id="basics">Basics</h2>
<ul>
<li>All paths are below <code>${servers[0]?.url}</code>. Bodies are JSON.</li>
<li>Every request carries <code>Authorization: Bearer &lt;API key&gt;</code>. The key tells the workspace; keep it on your servers.</li>
<li>Each key may make 20 requests in any second. Beyond that: <a href="/problems/RATE_LIMITED"><code>RATE_LIMITED</code></a>.</li>
<li>Any UUID in <code>X-Correlation-ID</code> comes back with the answer; without one, the answer has a new one.</li>
<li>Fields and query parameters that are not listed here are refused.</li>
</ul>
</section>`

type Listed = { method: string; path: string; operation: Operation }

const operationSection = (document: ApiDocument, { method, path, operation }: Listed): Html => html`
<section aria-labelledby="${operation.operationId}">
<h2 id="${operation.operationId}">${operation.summary}</h2>
<p><code><span class="method">${method}</span> ${path}</code></p>
<p>${prose(operation.description)}</p>
<h3>Parameters</h3>
${parameterTable(operation.parameters)}
${operation.requestBody && bodyPart(document, operation.requestBody.content)}
${Object.entries(operation.responses).map(([status, { description, content = {} }]) => {
  const [type = ''] = Object.keys(content)
  return html`<h3>${status} <span class="soft">${type}</span></h3>
${type === 'application/problem+json' ? problemList(content) : answerPart(document, description, content)}`
})}
</section>`

const parameterTable = (parameters: readonly Parameter[]): Html => html`<div class="scroll"><table>
<thead><tr><th scope="col">Name</th><th scope="col">In</th><th scope="col">Required</th><th scope="col">Meaning</th></tr></thead>
<tbody>${parameters.map(
  ({ name, in: part, required, description, schema }) =>
    html`<tr><td><code>${name}</code></td><td>${part}</td><td>${required ? 'yes' : 'no'}</td><td>${prose(sentences(description, limits(schema)))}</td></tr>`,
)}</tbody>
</table></div>`

const bodyPart = (document: ApiDocument, content: Content): Html => html`<h3>Request body</h3>
${Object.values(content).map(({ schema, example }) =>
  hasFields(document, schema)
    ? html`${fieldTable(document, schema)}${jsonBlock('An example', example)}`
    : html`<p>None, or an empty JSON object.</p>`,
)}`

const hasFields = (document: ApiDocument, schema: Schema): boolean => fieldsOf(resolve(document, schema), '').length > 0

const answerPart = (
  document: ApiDocument,
  description: string,
  content: Content,
): Html => html`<p>${prose(description)}</p>
${Object.values(content).map(({ schema, example }) => html`${fieldTable(document, schema)}${jsonBlock('An example', example)}`)}`

const problemList = (content: Content): Html =>
  html`<ul>${Object.values(content).flatMap(({ examples = {} }) =>
    Object.entries(examples).map(
      ([code, { summary }]) => html`<li><a href="/problems/${code}"><code>${code}</code></a>: ${summary}</li>`,
    ),
  )}</ul>`

const webhookSection = (document: ApiDocument, events: readonly WebhookOperation[]): Html => html`
<section aria-labelledby="webhooks">
<h2 id="webhooks">Webhooks</h2>
<p>Events are sent by POST to every enabled endpoint of the workspace, signed as <a href="https://www.standardwebhooks.com">Standard Webhooks</a> says. Answer with a 2xx status within 15 seconds; anything else is tried again. Deliveries may repeat and overtake each other: handle each <code>webhook-id</code> once.</p>
${parameterTable(events[0]?.parameters ?? [])}
${events.map(
  ({ summary, description, requestBody }) => html`<h3><code>${summary}</code></h3>
<p>${prose(description)}</p>
${Object.values(requestBody.content).map(({ schema, example }) => html`${fieldTable(document, schema)}${jsonBlock('An example', example)}`)}`,
)}
</section>`

const jsonBlock = (label: string, value: unknown): Html | undefined =>
  value === undefined
    ? undefined
    : html`<pre tabindex="0" aria-label="${label}">${JSON.stringify(value, null, 2)}</pre>`

type Field = { name: string; schema: Schema; required: boolean }

function fieldTable(document: ApiDocument, schema: Schema): Html {
  return html`<div class="scroll"><table>
<thead><tr><th scope="col">Field</th><th scope="col">Type</th><th scope="col">Required</th><th scope="col">Meaning</th></tr></thead>
<tbody>${fieldsOf(resolve(document, schema), '').map(
    ({ name, schema, required }) =>
      html`<tr><td><code>${name}</code></td><td>${typeName(schema)}</td><td>${required ? 'yes' : 'no'}</td><td>${prose(sentences(schema.description, limits(schema)))}</td></tr>`,
  )}</tbody>
</table></div>`
}

/** Nested fields under their full name, as in `template.name`. */
function fieldsOf(schema: Schema, prefix: string): Field[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    if (typeof property !== 'object') return []
    const field = { name: prefix + name, schema: property, required: schema.required?.includes(name) ?? false }
    return [field, ...fieldsOf(withoutNull(property), `${prefix}${name}.`)]
  })
}

function resolve({ components }: ApiDocument, schema: Schema): Schema {
  const name = schema.$ref?.replace('#/components/schemas/', '')
  return (name && components.schemas[name]) || schema
}

const withoutNull = (schema: Schema): Schema =>
  schema.anyOf?.find((each): each is Schema => typeof each === 'object' && each.type !== 'null') ?? schema

function typeName(schema: Schema): string {
  const inner = withoutNull(schema)
  const types = [inner.type ?? []].flat().filter((type) => type !== 'null')
  const isNullable = inner !== schema || types.length < [inner.type ?? []].flat().length
  return `${inner.format ?? types.join(' or ')}${isNullable ? ' or null' : ''}`
}

/** What JSON Schema says beyond the type. */
function limits(schema: Schema): string {
  const { minLength, maxLength, pattern, enum: values, const: constant } = withoutNull(schema)
  return [
    minLength !== undefined && maxLength !== undefined && `${minLength} to ${maxLength} characters.`,
    minLength === undefined && maxLength !== undefined && `At most ${maxLength} characters.`,
    minLength !== undefined && maxLength === undefined && `At least ${minLength} character.`,
    pattern !== undefined && `Matches \`${pattern}\`.`,
    values && `One of ${values.map((value) => `\`${String(value)}\``).join(', ')}.`,
    constant !== undefined && `Always \`${String(constant)}\`.`,
  ]
    .filter(Boolean)
    .join(' ')
}

const sentences = (...texts: (string | undefined)[]): string => texts.filter(Boolean).join(' ')
