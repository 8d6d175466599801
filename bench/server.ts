/** The process under test. Sends its port to the parent process. */
import { readConfig } from '../src/lib/config.ts'
import { createLog } from '../src/lib/log.ts'
import { startServing } from '../src/commands/serve.ts'
import { serveFloor } from './floor.ts'
import { servePlain } from './plain-accept.ts'
import type { ListeningMessage, Subject } from './server-process.ts'

const { NODE_CHANNEL_FD: _fd, NODE_CHANNEL_SERIALIZATION_MODE: _mode, ...environment } = process.env
const config = { ...readConfig(environment), port: 0 }
const subjects: Record<Subject, () => Promise<{ url: string; stop(): Promise<void> }>> = {
  doorcode: () => startServing(config, createLog(config.logLevel)),
  floor: () => serveFloor(config, 'message'),
  narrow: () => serveFloor(config, 'narrow'),
  'hook-floor': () => serveFloor(config, 'hook-message'),
  'confirmation-floor': () => serveFloor(config, 'confirmation'),
  'verification-floor': () => serveFloor(config, 'verification'),
  plain: () => servePlain(config),
}
const serving = await subjects[process.argv[2] as Subject]()
const listening: ListeningMessage = { port: Number(new URL(serving.url).port) }
process.send?.(listening)
const stop = (): void => void serving.stop().then(() => process.exit())
process.once('SIGTERM', stop)
process.once('disconnect', stop) // the parent has ended
