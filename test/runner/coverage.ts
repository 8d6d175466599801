import { appendFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'

/** Which documented answers the suite has seen, over all its processes. */
const FILE = 'answers-seen'

const written = new Set<string>()

/** `operation` is "GET /path/{id}". Synchronous and append-only: several processes write. */
export function recordSeen(operation: string, status: number): void {
  note(`seen ${operation} ${status}`)
}

export function recordDocumented(operation: string, statuses: readonly number[]): void {
  for (const status of statuses) note(`documented ${operation} ${status}`)
}

function note(line: string): void {
  const folder = process.env.TEST_FOLDER
  if (!folder || written.has(line)) return
  written.add(line)
  appendFileSync(path.join(folder, FILE), `${line}\n`)
}

/** Prints documented answers that no test has seen. Returns the exit code. */
export async function reportCoverage(folder: string): Promise<number> {
  const lines = new Set((await readFile(path.join(folder, FILE), 'utf8').catch(() => '')).split('\n'))
  const documented = [...lines]
    .filter((line) => line.startsWith('documented '))
    .map((line) => line.slice('documented '.length))
  const missing = documented.filter((pair) => !lines.has(`seen ${pair}`)).sort()
  if (missing.length === 0) {
    console.log(`every one of the ${documented.length} documented answers was seen`)
    return 0
  }
  console.log(`documented answers that no test has seen:\n  ${missing.join('\n  ')}`)
  return 1
}
