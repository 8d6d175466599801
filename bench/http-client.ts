import { type Socket, connect } from 'node:net'

/**
 * HTTP/1.1 over kept-alive connections, one request at a time on each. It reads only what our servers answer, and costs
 * a tenth of a general client: the load generator shares two cores with what it measures.
 */
export type HttpClient = {
  /** Resolves with the status when the answer is complete. A request that finds all connections busy waits its turn. */
  send(request: string): Promise<number>
  close(): void
}

type Turn = { request: string; resolve: (status: number) => void; reject: (error: Error) => void }
type Connection = { socket: Socket; turn: Turn | undefined; received: string }

export function openHttpClient({ port, connections }: { port: number; connections: number }): HttpClient {
  const idle: Connection[] = []
  const waiting: Turn[] = []
  let open = 0
  let closed = false

  const send = (request: string): Promise<number> =>
    new Promise((resolve, reject) => {
      const turn = { request, resolve, reject }
      const connection = idle.pop() ?? (open < connections ? dial() : undefined)
      if (connection) begin(connection, turn)
      else waiting.push(turn)
    })

  const begin = (connection: Connection, turn: Turn): void => {
    connection.turn = turn
    connection.received = ''
    connection.socket.write(turn.request, 'latin1')
  }

  const dial = (): Connection => {
    open += 1
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    const connection: Connection = { socket, turn: undefined, received: '' }
    socket.setEncoding('latin1')
    socket.on('data', (text: string) => receive(connection, text))
    socket.on('error', () => {}) // what follows is "close"
    socket.on('close', () => {
      open -= 1
      const index = idle.indexOf(connection)
      if (index >= 0) idle.splice(index, 1)
      if (!closed) connection.turn?.reject(new Error('the server ended a connection before it had answered'))
    })
    return connection
  }

  const receive = (connection: Connection, text: string): void => {
    connection.received += text
    const status = statusOfWhole(connection.received)
    const { turn } = connection
    if (status === undefined || !turn) return
    connection.turn = undefined
    const next = waiting.shift()
    if (next) begin(connection, next)
    else idle.push(connection)
    turn.resolve(status)
  }

  return {
    send,
    close() {
      closed = true
      for (const { socket } of idle) socket.destroy()
    },
  }
}

const HEAD_END = '\r\n\r\n'
const STATUS_AT = 'HTTP/1.1 '.length

/** Undefined until the answer is complete. */
function statusOfWhole(text: string): number | undefined {
  const headEnd = text.indexOf(HEAD_END)
  if (headEnd < 0) return undefined
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1])
  if (Number.isNaN(length)) throw new Error(`an answer without a length: ${text.slice(0, headEnd)}`)
  return text.length < headEnd + HEAD_END.length + length ? undefined : Number(text.slice(STATUS_AT, STATUS_AT + 3))
}
