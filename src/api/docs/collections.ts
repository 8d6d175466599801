import type { ApiDocument } from './openapi.ts'
import { type RequestExample, withBlanks } from './try.ts'

/** A request of the API, with variables in double braces. */
type Request = {
  tag: string
  name: string
  description: string
  method: string
  path: string
  query: readonly NamedItem[]
  headers: readonly NamedItem[]
  body: string | undefined
  /** The members of the response that later requests have in their path. */
  saved: readonly string[]
}

type NamedItem = { name: string; description: string }

export type Collections = ReturnType<typeof collectionsOf>

/** What Postman and Bruno import: all requests of the document, in its order. */
export function collectionsOf(document: ApiDocument) {
  const { info, servers } = document
  const requests = requestsOf(JSON.parse(withBlanks(document)) as ApiDocument)
  const about = { name: info.title, summary: info.summary, requests }
  const ids = [...new Set(requests.flatMap(({ path }) => namesIn(path)))]
  const variables = (example: RequestExample | undefined): Record<string, string> => ({
    url: servers[0]?.url ?? '',
    apiKey: '',
    sender: example?.senderId ?? '',
    template: example?.template.name ?? '',
    language: example?.template.language ?? '',
    ...Object.fromEntries(ids.map((name) => [name, ''])),
  })
  return {
    postman: (example?: RequestExample) => postmanOf(about, variables(example)),
    bruno: (example?: RequestExample) => brunoOf(about, variables(example)),
  }
}

/** The names in `/messages/{messageId}`. */
const namesIn = (path: string): string[] => Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => name)

function requestsOf({ paths }: ApiDocument): Request[] {
  const ids = new Set(Object.keys(paths).flatMap(namesIn))
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Request => {
      const {
        tags: [tag = ''],
        summary,
        description,
        parameters,
        requestBody,
        responses,
      } = operation
      const named = (part: string): NamedItem[] => parameters.filter((each) => each.in === part)
      const body = requestBody?.content['application/json'].example
      const answers = Object.values(responses).flatMap((response) =>
        'content' in response && 'application/json' in response.content
          ? [response.content['application/json'].example as object]
          : [],
      )
      const isMade = method === 'post'
      return {
        tag,
        name: summary,
        description,
        method: method.toUpperCase(),
        path,
        query: named('query'),
        headers: named('header'),
        body: body === undefined ? undefined : JSON.stringify(body, null, 2),
        saved: isMade ? answers.flatMap(Object.keys).filter((name) => ids.has(name)) : [],
      }
    }),
  )
}

type About = { name: string; summary: string; requests: readonly Request[] }

const byTag = (requests: readonly Request[]) => [...Map.groupBy(requests, ({ tag }) => tag)]
/** Both write a part of the path that changes as `:messageId`. */
const withColons = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1')
const variable = (name: string): string => `{{${name}}}`

/** Postman's format 2.1. */
function postmanOf({ name, summary, requests }: About, variables: Record<string, string>) {
  return {
    info: {
      name,
      description: summary,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: variable('apiKey'), type: 'string' }] },
    variable: Object.entries(variables).map(([key, value]) => ({ key, value })),
    item: byTag(requests).map(([tag, each]) => ({ name: tag, item: each.map(postmanItem) })),
  }
}

function postmanItem({ name, description, method, path, query, headers, body, saved }: Request) {
  const optional = (all: readonly NamedItem[]) =>
    all.map((each) => ({ key: each.name, value: '', description: each.description, disabled: true }))
  const contentType = body === undefined ? [] : [{ key: 'Content-Type', value: 'application/json' }]
  return {
    name,
    request: {
      method,
      description,
      header: [...contentType, ...optional(headers)],
      url: {
        raw: variable('url') + withColons(path),
        host: [variable('url')],
        path: withColons(path).split('/').slice(1),
        query: optional(query),
        variable: namesIn(path).map((each) => ({ key: each, value: variable(each) })),
      },
      ...(body !== undefined && { body: { mode: 'raw', raw: body, options: { raw: { language: 'json' } } } }),
    },
    event: saved.map((each) => ({
      listen: 'test',
      script: {
        type: 'text/javascript',
        exec: [
          `if (pm.response.code < 300) pm.collectionVariables.set(${JSON.stringify(each)}, pm.response.json().${each})`,
        ],
      },
    })),
  }
}

/** What Bruno exports as one file. */
function brunoOf({ name, requests }: About, variables: Record<string, string>) {
  return {
    name,
    version: '1',
    items: byTag(requests).map(([tag, each]) => ({ type: 'folder', name: tag, items: each.map(brunoItem) })),
    environments: [
      {
        name,
        variables: Object.entries(variables).map(([each, value]) => ({
          name: each,
          value,
          type: 'text',
          enabled: true,
          secret: each === 'apiKey',
        })),
      },
    ],
  }
}

function brunoItem({ name, description, method, path, query, headers, body, saved }: Request) {
  const optional = (all: readonly NamedItem[]) =>
    all.map((each) => ({ name: each.name, value: '', description: each.description, enabled: false }))
  return {
    type: 'http-request',
    name,
    request: {
      url: variable('url') + withColons(path),
      method,
      headers: optional(headers),
      params: [
        ...optional(query).map((each) => ({ ...each, type: 'query' })),
        ...namesIn(path).map((each) => ({ name: each, value: variable(each), type: 'path', enabled: true })),
      ],
      auth: { mode: 'bearer', bearer: { token: variable('apiKey') } },
      body: body === undefined ? { mode: 'none' } : { mode: 'json', json: body },
      script: {},
      vars: { res: saved.map((each) => ({ name: each, value: `res.body.${each}`, enabled: true, local: false })) },
      docs: description,
    },
  }
}
