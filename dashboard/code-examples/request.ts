import type { RouterOutputs } from '../api.ts'

/** A request to the API. Without `apiKey` the examples read it from the environment, as DOORCODE_API_KEY. */
export type ApiRequest = { url: string; body: object; apiKey?: string | undefined }

/** The same request in several languages, each as a program that runs unchanged and needs no package. */
export const requestExamples = (request: ApiRequest) => ({
  PHP: phpOf(request),
  'Node.js': nodeOf(request),
  Python: pythonOf(request),
  curl: curlOf(request),
})

export const curlOf = ({ url, body, apiKey }: ApiRequest): string =>
  [
    `curl ${quotedForShell(url)}`,
    apiKey === undefined
      ? '-H "Authorization: Bearer $DOORCODE_API_KEY"'
      : `-H ${quotedForShell(`Authorization: Bearer ${apiKey}`)}`,
    `-H 'Content-Type: application/json'`,
    `-d ${quotedForShell(indented(JSON.stringify(body, null, 2), '  '))}`,
  ].join(' \\\n  ')

/** Inside single quotes, a shell interprets only the quote itself. */
const quotedForShell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const nodeOf = ({ url, body, apiKey }: ApiRequest): string => `const response = await fetch(${quoted(url)}, {
  method: 'POST',
  headers: {
    Authorization: ${apiKey === undefined ? '`Bearer ${process.env.DOORCODE_API_KEY}`' : quoted(`Bearer ${apiKey}`)},
    'Content-Type': 'application/json',
  },
  body: JSON.stringify(${indented(JSON.stringify(body, null, 2), '  ')}),
})
console.log(response.status, await response.json())`

const phpOf = ({ url, body, apiKey }: ApiRequest): string => `<?php
$request = curl_init(${quoted(url)});
curl_setopt_array($request, [
    CURLOPT_HTTPHEADER => [
        ${apiKey === undefined ? `'Authorization: Bearer ' . getenv('DOORCODE_API_KEY')` : quoted(`Authorization: Bearer ${apiKey}`)},
        'Content-Type: application/json',
    ],
    CURLOPT_POSTFIELDS => json_encode(${indented(phpLiteral(body), '    ')}),
    CURLOPT_RETURNTRANSFER => true,
]);
echo curl_exec($request);`

const pythonOf = ({ url, body, apiKey }: ApiRequest): string => `import json
${apiKey === undefined ? 'import os\n' : ''}import urllib.request

request = urllib.request.Request(
    ${JSON.stringify(url)},
    headers={"Content-Type": "application/json"},
    data=json.dumps(${indented(JSON.stringify(body, null, 4), '    ')}).encode(),
)
request.add_unredirected_header("Authorization", ${apiKey === undefined ? 'f"Bearer {os.environ[\'DOORCODE_API_KEY\']}"' : JSON.stringify(`Bearer ${apiKey}`)})
with urllib.request.urlopen(request) as response:
    print(response.status, json.load(response))`

/** In single quotes, as JavaScript and PHP both read it. */
const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", `\\'`)}'`

const indented = (lines: string, by: string): string => lines.replaceAll('\n', `\n${by}`)

/** Bodies hold texts, lists and objects. */
function phpLiteral(value: unknown): string {
  // Indenting would change a line break inside quotes.
  if (typeof value === 'string')
    return quoted(value).replaceAll('\n', `' . "\\n" . '`).replaceAll('\r', `' . "\\r" . '`)
  const members = Array.isArray(value)
    ? value.map(phpLiteral)
    : Object.entries(value as object).map(([name, each]) => `${quoted(name)} => ${phpLiteral(each)}`)
  return `[\n${members.map((member) => `    ${indented(member, '    ')},\n`).join('')}]`
}

/** The sender and template that a workspace can use. */
type FirstRequestFacts = Extract<RouterOutputs['keys']['firstRequest'], { missing: null }>

/** An example code: the backend generates its own. */
const EXAMPLE_CODE = '493817'

/** A request that sends a first one-time code. */
export const firstRequest = ({ baseUrl, senderId, template }: FirstRequestFacts, to: string) => ({
  url: `${baseUrl}/otp/messages`,
  body: { to, senderId, template, code: EXAMPLE_CODE, reference: 'first' },
})
