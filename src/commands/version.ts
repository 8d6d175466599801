import manifest from '../../package.json' with { type: 'json' }
import { findEmbeddedVersion } from '../runtime/start/embedded-postgres/binaries.ts'
import type { Command } from './command.ts'

export const version: Command = {
  words: 'version',
  example: '--json',
  summary: 'Show the versions of Doorcode, Node and the embedded PostgreSQL; "doorcode --version" does the same.',
  options: {},
  work: {
    on: 'nothing',
    async run() {
      const result = {
        doorcode: manifest.version,
        node: process.versions.node,
        postgresql: (await findEmbeddedVersion()) ?? null,
      }
      const { doorcode, node, postgresql } = result
      return {
        result,
        text: `Doorcode ${doorcode}, Node ${node}, ${postgresql === null ? 'no embedded PostgreSQL' : `PostgreSQL ${postgresql}`}`,
      }
    },
  },
}
