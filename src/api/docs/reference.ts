import { tableOfCells } from './markdown.ts'
import { type ApiDocument, type Schema, errorCodesOf, nameOf } from './openapi.ts'

type Operation = ApiDocument['paths'][string][string]

/** The API reference as Markdown: what `/docs` shows. */
export function referenceMarkdown(document: ApiDocument): string {
  const { info, paths, webhooks, components, servers } = document
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) =>
      operationText(`${method.toUpperCase()} ${path}`, operation, document),
    ),
  )
  const events = Object.entries(webhooks).map(([type, { post }]) => {
    const { schema, example } = post.requestBody.content['application/json']
    return `### ${type}\n\n${post.description}\n\nBody: ${typeOf(schema)}\n\n${jsonBlock(example)}`
  })
  const schemas = Object.entries(components.schemas).map(([name, schema]) => schemaText(name, schema))
  const tag = document.tags.find(({ name }) => name === 'Webhooks')
  return [
    `# API reference of Doorcode ${info.version}`,
    `${info.summary} Address: ${servers.map(({ url }) => url).join(', ')}`,
    info.description,
    '## Routes',
    ...operations,
    '## Webhooks',
    tag?.description ?? '',
    ...events,
    '## Schemas',
    ...schemas,
    '',
  ].join('\n\n')
}

function operationText(title: string, operation: Operation, document: ApiDocument): string {
  const { operationId, summary, description, parameters, requestBody, responses } = operation
  const errors = errorCodesOf(operation, document).map((code) => `[${code}](/problems/${code}.md)`)
  const body = requestBody?.content['application/json']
  const taken = parameters.map(({ name, in: part, required, description: meaning }) => [
    `\`${name}\``,
    part,
    required ? 'yes' : 'no',
    inCell(meaning),
  ])
  const successes = Object.entries(responses).flatMap(([status, response]) => {
    if (!('content' in response) || !('application/json' in response.content)) return []
    const { schema, example } = response.content['application/json']
    return [`Response ${status}: ${typeOf(schema)}. ${response.description}`, jsonBlock(example)]
  })
  return [
    `### ${title}`,
    `${summary} (\`${operationId}\`). ${description}`,
    tableOfCells([['parameter', 'in', 'required', 'meaning'], ...taken]),
    ...(body ? [`Body: ${typeOf(body.schema)}`, jsonBlock(body.example)] : []),
    ...successes,
    `Errors: ${errors.join(', ')}`,
  ].join('\n\n')
}

function schemaText(name: string, schema: Schema): string {
  const rows = Object.entries(schema.properties ?? {}).map(([member, property]) => {
    const isRequired = schema.required?.includes(member) ?? false
    const { description = '' } = typeof property === 'object' ? property : {}
    return [`\`${member}\``, inCell(typeOf(property)), isRequired ? 'yes' : 'no', inCell(description)]
  })
  const members =
    rows.length > 0 ? tableOfCells([['member', 'type', 'required', 'meaning'], ...rows]) : `Type: ${typeOf(schema)}`
  return [`### ${name}`, ...(schema.description ? [schema.description] : []), members].join('\n\n')
}

type Part = Schema | boolean | undefined

/** `string`, `"sent" or "failed" or LaterValue`, `list of Thing`. */
function typeOf(schema: Part): string {
  if (typeof schema !== 'object') return 'anything'
  const { $ref, enum: values, const: value, anyOf, oneOf, allOf, items, type, format, additionalProperties } = schema
  if ($ref !== undefined) return linkTo(nameOf({ $ref }))
  if (value !== undefined) return JSON.stringify(value)
  if (values) return values.map((each) => JSON.stringify(each)).join(' or ')
  const choices = (anyOf ?? oneOf) as Part[] | undefined
  if (choices) return choices.map(typeOf).join(' or ')
  if (type === 'array') return `list of ${typeOf(items as Part)}`
  if (type === 'object' && typeof additionalProperties === 'object') return `object of ${typeOf(additionalProperties)}`
  if (type === undefined && allOf) return (allOf as Part[]).map(typeOf).join(' and ')
  const types = [type ?? 'anything'].flat().join(' or ')
  return format === undefined ? types : `${types} (${format})`
}

const linkTo = (name: string): string => `[${name}](#${name.toLowerCase()})`

/** A bar would begin another cell. */
const inCell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

const jsonBlock = (example: unknown): string => `\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\``
