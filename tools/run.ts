/** `node tools/run.ts oxlint …`: a program of the checks, which is installed first if it is missing. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { ensureInstalled, toolsPath } from './install.ts'

const [program = '', ...args] = process.argv.slice(2)
await ensureInstalled('check', 'bench', 'browser', 'clients') // their types too
const running = spawn(program, args, { stdio: 'inherit', env: { ...process.env, PATH: toolsPath() } })
const [code] = (await once(running, 'exit')) as [number | null]
process.exitCode = code ?? 1
