/** A message of PostgreSQL's protocol: one letter, then the length of itself and the body. */
export const message = (letter: string, body: Buffer): Buffer => {
  const head = Buffer.alloc(5)
  head.write(letter)
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

export const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}

/** Cuts a stream into messages. `first`: the startup message has no letter. */
export function* messagesIn(buffered: { bytes: Buffer }, first = false): Generator<Buffer> {
  for (let letter = first ? 0 : 1; ; letter = 1) {
    if (buffered.bytes.length < letter + 4) return
    const length = letter + buffered.bytes.readInt32BE(letter)
    if (buffered.bytes.length < length) return
    const next = buffered.bytes.subarray(0, length)
    buffered.bytes = buffered.bytes.subarray(length)
    yield next
  }
}

/** What a server reports, by the letters of the protocol: C the SQLSTATE, R the routine, and so on. */
export const errorResponse = (fields: Readonly<Record<string, string>>): Buffer =>
  message(
    'E',
    Buffer.from(
      `${Object.entries(fields)
        .map(([letter, text]) => `${letter}${text}\0`)
        .join('')}\0`,
    ),
  )
