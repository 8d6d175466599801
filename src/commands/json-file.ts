import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { InputError } from './command.ts'

/** The file name that means standard input. */
export const STANDARD_INPUT = '-'

/** The value in a JSON file; `-` is standard input. Throws InputError. */
export async function readJsonFile(name: string): Promise<unknown> {
  const text = await readText(name)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new InputError(`must be JSON, and ${name} is not: ${error instanceof Error ? error.message : 'unreadable'}`)
  }
}

/** Enough for settings in hundreds of languages. */
const MAX_FILE_BYTES = 1_048_576

/** `-` is standard input. Throws InputError. */
export async function readText(name: string): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    const stream: AsyncIterable<Buffer> = name === STANDARD_INPUT ? standardInput() : createReadStream(name)
    for await (const chunk of stream) {
      size += chunk.length
      if (size > MAX_FILE_BYTES) throw new InputError(`must have at most ${MAX_FILE_BYTES} bytes`)
      chunks.push(chunk)
    }
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks)) // without a byte order mark
  } catch (error) {
    if (error instanceof InputError || !(error instanceof Error)) throw error
    throw new InputError(error instanceof TypeError ? 'must be text in UTF-8' : `cannot be read: ${error.message}`)
  }
}

/** No secret is this long; a longer file is probably the wrong one. In characters. */
const MAX_SECRET = 4_096

/** One line; `-` is standard input. Throws InputError, which quotes neither the text nor the name: it may be a secret in the wrong place. */
export async function readSecretFile(name: string): Promise<string> {
  const text = (await readText(name).catch(withoutName)).replace(/\r?\n$/, '')
  if (text.trim() === '') throw new InputError('must not be empty')
  if (text.length > MAX_SECRET || /\p{Cc}/u.test(text))
    throw new InputError(`must contain one line of at most ${MAX_SECRET} characters`)
  return text
}

function withoutName(error: unknown): never {
  if (!(error instanceof InputError)) throw error
  throw new InputError(error.message.replace(/, \w+ '.*'$/s, ''))
}

const STDIN_FD = 0

/** Node shows an input that it cannot read, such as a folder, as an empty one. Reading its descriptor gives the reason. */
const standardInput = (): Readable =>
  process.stdin.constructor === Readable ? createReadStream('', { fd: STDIN_FD }) : process.stdin
