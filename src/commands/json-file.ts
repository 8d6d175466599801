import { closeSync, openSync, readSync } from 'node:fs'
import { Misread } from './command.ts'

/** The value in a JSON file; `-` is standard input. Throws Misread that says where the text is wrong. */
export function readJsonFile(name: string): unknown {
  const text = contentOf(name)
  try {
    return JSON.parse(text)
  } catch (error) {
    const before = text.slice(0, faultPosition(text)).split('\n')
    const place = `line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`
    throw new Misread(`must be JSON, but is not at ${place}: ${reasonOf(error)}`)
  }
}

/** Settings of hundreds of languages. */
const FILE_BYTES_MOST = 1_048_576
const STANDARD_INPUT = 0
const CHUNK_BYTES = 65_536

function contentOf(name: string): string {
  try {
    if (name === '-') return readAll(STANDARD_INPUT)
    const file = openSync(name, 'r')
    try {
      return readAll(file)
    } finally {
      closeSync(file)
    }
  } catch (error) {
    if (error instanceof Misread || !(error instanceof Error)) throw error
    throw new Misread(`cannot be read: ${error.message}`)
  }
}

function readAll(file: number): string {
  const chunks: Buffer[] = []
  for (let size = 0; size <= FILE_BYTES_MOST; ) {
    const chunk = Buffer.alloc(CHUNK_BYTES)
    const length = readSome(file, chunk)
    if (length === 0) return textOf(Buffer.concat(chunks))
    chunks.push(chunk.subarray(0, length))
    size += length
  }
  throw new Misread(`must have at most ${FILE_BYTES_MOST} bytes`)
}

const LOOK_AGAIN_MS = 20

/** 0 at the end. A terminal or a pipe may have been opened by another program so that it says "not yet" (EAGAIN). */
function readSome(file: number, into: Buffer): number {
  for (;;) {
    try {
      return readSync(file, into)
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined
      if (code !== 'EAGAIN') throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_AGAIN_MS)
    }
  }
}

/** Some editors begin a file with a byte order mark, which is none of its text. */
function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Misread('must be text in UTF-8')
  }
}

/** The parser names its position in some of its messages only. What it says of the beginnings of the text tells the rest. */
function faultPosition(text: string): number {
  let [sound, broken] = [0, text.length]
  while (broken - sound > 1) {
    const middle = Math.floor((sound + broken) / 2)
    if (breaksBeforeItsEnd(text.slice(0, middle))) broken = middle
    else sound = middle
  }
  return breaksBeforeItsEnd(text) ? broken - 1 : text.length
}

/** A beginning of something sound breaks at its end at the earliest. */
function breaksBeforeItsEnd(text: string): boolean {
  try {
    JSON.parse(text)
    return false
  } catch (error) {
    const message = error instanceof Error ? error.message : ''
    const position = /at position (\d+)/.exec(message)?.[1]
    return position === undefined ? !message.startsWith('Unexpected end') : Number(position) < text.length
  }
}

const reasonOf = (error: unknown): string =>
  error instanceof Error
    ? error.message.replace(/( in JSON at position .*|, .* is not valid JSON)$/s, '')
    : 'unreadable'
