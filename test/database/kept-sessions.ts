/**
 * A new session costs the server 30 ms of processor time, and a command opens five. Here a session on the process's database is
 * not closed but reset by `discard all`, and whatever opens the next one with the same startup message gets it, as from a
 * connection pooler in session mode. A session that is in a transaction or whose connection is dropped ends.
 */
import { type Socket, connect as connectSocket } from 'node:net'
import { Duplex } from 'node:stream'
import { Connection } from 'pg'
import { testServerSocket } from './postgres.ts'

type Done = (error?: Error | null) => void

type Session = {
  socket: Socket
  path: string
  /** The message with user, database and application_name. */
  startup: string
  /** The server's answer to it. */
  greeting: Buffer
  isGreeted: boolean
  onData: (data: Buffer) => void
}

/** The process's own database, and the one in which it creates others. */
const KEPT_DATABASES = [`database\0test_${process.pid}_`, 'database\0postgres\0']

/** Not of a server that a test starts. */
const isKept = ({ path, startup, isGreeted }: Session): boolean =>
  isGreeted && path === testServerSocket() && KEPT_DATABASES.some((database) => startup.includes(database))

const MAX_IDLE = 20
const idle: Session[] = []

export const endKeptSessions = (): void => idle.splice(0).forEach(({ socket }) => socket.destroy())

const TERMINATE = Buffer.from('X\0\0\0\x04', 'latin1')
const DISCARD_ALL = Buffer.from('Q\0\0\0\x10discard all\0', 'latin1')

/** Whether the server's last message is whole and says that it waits for a query. `isReset`: without error and transaction. */
function readAnswer(data: Buffer): { isOver: boolean; isReset: boolean } {
  let types = ''
  let at = 0
  for (; at + 5 <= data.length; at += 1 + data.readUInt32BE(at + 1)) types += String.fromCharCode(data[at] ?? 0)
  const isOver = at === data.length && types.endsWith('Z')
  return { isOver, isReset: isOver && !types.includes('E') && data.at(-1) === 'I'.charCodeAt(0) }
}

function startSession(path: string, startup: string): Session {
  const socket = connectSocket(path)
  const session: Session = { socket, path, startup, greeting: Buffer.alloc(0), isGreeted: false, onData: () => {} }
  const forget = (): void => {
    if (idle.includes(session)) idle.splice(idle.indexOf(session), 1)
  }
  socket
    .on('data', (data: Buffer) => session.onData(data))
    .on('error', forget)
    .on('close', forget)
  return session
}

/** The stream of a client's connection. Its first message starts a session, or takes an idle one that began with the same. */
class SessionStream extends Duplex {
  #path = ''
  #session: Session | undefined
  #isTerminated = false

  connect(path: string): void {
    this.#path = path
    process.nextTick(() => this.emit('connect'))
  }

  setNoDelay(): void {}
  setKeepAlive(): void {}
  ref = (): void => void this.#session?.socket.ref()
  unref = (): void => void this.#session?.socket.unref()

  override _write(message: Buffer, _encoding: string, done: Done): void {
    this.#isTerminated = message.equals(TERMINATE)
    if (!this.#session) this.#open(message, done)
    else if (this.#isTerminated) done()
    else this.#session.socket.write(message, done)
  }

  override _writev(messages: { chunk: Buffer }[], done: Done): void {
    this._write(Buffer.concat(messages.map(({ chunk }) => chunk)), 'buffer', done)
  }

  #open(message: Buffer, done: Done): void {
    const startup = message.toString('latin1')
    const at = idle.findLastIndex((each) => each.path === this.#path && each.startup === startup)
    const [kept] = at < 0 ? [] : idle.splice(at, 1)
    const session = kept ?? startSession(this.#path, startup)
    this.#session = session
    session.onData = (data) => this.#receive(session, data)
    session.socket.on('end', this.#onEnd).on('error', this.#onError).on('close', this.#onClose).ref()
    if (kept) {
      this.push(kept.greeting)
      done()
    } else session.socket.write(message, done)
  }

  #receive(session: Session, data: Buffer): void {
    if (!session.isGreeted) {
      session.greeting = Buffer.concat([session.greeting, data])
      session.isGreeted = readAnswer(session.greeting).isReset
    }
    if (!this.push(data)) session.socket.pause()
  }

  override _read(): void {
    this.#session?.socket.resume()
  }

  #onEnd = (): void => void this.push(null)
  #onError = (error: Error): void => void this.destroy(error)
  #onClose = (): void => void this.destroy()

  /** A client that ends its session waits for no answer of it. */
  override _final(done: Done): void {
    const session = this.#session
    if (session && this.#isTerminated && isKept(session)) this.#reset(session, done)
    else {
      session?.socket.end(this.#isTerminated ? TERMINATE : '')
      done()
    }
  }

  #reset(session: Session, done: Done): void {
    let answer = Buffer.alloc(0)
    session.onData = (data) => {
      answer = Buffer.concat([answer, data])
      const { isOver, isReset } = readAnswer(answer)
      if (!isOver) return
      if (isReset && idle.length < MAX_IDLE) this.#giveBack(session)
      else session.socket.destroy()
      this.push(null)
      done()
    }
    session.socket.resume().write(DISCARD_ALL)
  }

  #giveBack(session: Session): void {
    this.#session = undefined
    session.onData = () => {}
    session.socket.off('end', this.#onEnd).off('error', this.#onError).off('close', this.#onClose).unref()
    idle.push(session)
  }

  override _destroy(error: Error | null, done: Done): void {
    this.#session?.socket.destroy()
    done(error)
  }
}

type Connecting = { stream: unknown; connect: (port: number | string, host?: string) => void }

const { prototype } = Connection as unknown as { prototype: Connecting }
const connect = Reflect.get<Connecting, 'connect'>(prototype, 'connect')
prototype.connect = function (port, host) {
  if (typeof port === 'string') this.stream = new SessionStream() // a socket's path: the test server, without TLS
  connect.call(this, port, host)
}
