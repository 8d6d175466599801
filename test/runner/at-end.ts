import { after } from 'node:test'

type Cleanup = () => Promise<unknown>

const cleanups: Cleanup[] = []

/** Call it while a module loads. `end` runs after the first file that loads it, and again after all files of the process. */
export function atEnd(end: Cleanup): void {
  cleanups.push(end)
  after(end)
}

export const endAll = (): Promise<unknown> => Promise.all(cleanups.map((end) => end()))
