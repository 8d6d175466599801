import { findSchemaState } from '../../lib/db/migrate.ts'
import { findHeldEvents } from '../../events/held.ts'
import { listFrozenNodes, listNodes } from '../../runtime/jobs/node.ts'
import { findInstance } from '../secrets/instance.ts'
import { listWorkspaces } from '../../workspaces/workspaces.ts'
import type { Check } from './check.ts'
import { checkClocks } from './clocks.ts'
import { findDiskProblems } from './disk.ts'
import { MAX_NODE_SILENT_MS, checkNodes } from './nodes.ts'
import { findPoolerFindings } from './database/pooler.ts'
import { findProviderProblems } from './outside/provider.ts'
import { findPublicUrlProblems } from './outside/public-url.ts'
import { checkReplication, readReplication } from './database/replication.ts'
import { findMissingReports } from './work/reports.ts'
import { findIndexProblems, checkSchema } from './database/schema.ts'
import { findTablesWithoutVacuum, checkConnections, checkServer, readServer } from './database/server.ts'
import { countOperatorsWithoutSecondFactor, checkKeys, checkSettings } from './settings.ts'
import { findSetupProblems } from './setup.ts'
import { findLockedTables, checkHeldEvents } from './database/transactions.ts'
import { findUnfinishedErasures } from './work/erasures.ts'
import { findQuarantined, findStuckLeases } from './work/stuck.ts'
import { checkWork, listOldestDue } from './work/oldest-due.ts'
import { findRetentionProblems } from './work/retention.ts'

/** Every check, in the order in which they are shown. None changes anything. */
export const CHECKS: readonly Check[] = [
  {
    name: 'settings',
    needs: ['config', 'db', 'schema'],
    find: async ({ config, db }) =>
      checkSettings({
        config,
        nodes: await listNodes(db),
        workspaces: await listWorkspaces(db),
        operatorsWithoutSecondFactor: await countOperatorsWithoutSecondFactor(db),
      }),
  },
  {
    name: 'nodes',
    needs: ['db', 'schema'],
    async find({ db }) {
      const nodes = await listNodes(db)
      const frozen = await listFrozenNodes(db, MAX_NODE_SILENT_MS)
      return [...checkNodes(nodes, frozen), ...checkConnections(await readServer(db), nodes)]
    },
  },
  {
    name: 'database',
    needs: ['db'],
    find: async ({ db }) => [...checkServer(await readServer(db)), ...(await findTablesWithoutVacuum(db))],
  },
  {
    name: 'schema',
    needs: ['db'],
    async find({ db }) {
      const schema = await findSchemaState(db)
      return schema.state === 'current' ? findIndexProblems(db) : checkSchema(schema)
    },
  },
  {
    name: 'key',
    needs: ['db', 'schema', 'seal'], // who opens the seal reports a wrong key
    find: async ({ db, seal }) => checkKeys((await findInstance(db))?.oldKeys ?? [], seal),
  },
  { name: 'pooler', needs: ['db'], find: ({ db }) => findPoolerFindings(db) },
  { name: 'replication', needs: ['db'], find: async ({ db }) => checkReplication(await readReplication(db)) },
  {
    name: 'transactions',
    needs: ['db', 'schema', 'clock'],
    find: async ({ db, clock }) => [
      ...checkHeldEvents(await findHeldEvents(db, clock.now())),
      ...(await findLockedTables(db)),
    ],
  },
  {
    name: 'clock',
    needs: ['db', 'schema', 'clock'],
    find: async ({ db, clock }) => checkClocks(Date.now() - clock.now().getTime(), await listNodes(db)),
  },
  { name: 'disk', needs: ['config'], find: ({ config }) => findDiskProblems(config) },
  {
    name: 'work',
    needs: ['db', 'schema', 'clock'],
    async find({ db, clock }) {
      const now = clock.now()
      return checkWork(await listOldestDue(db, now), now)
    },
  },
  { name: 'quarantine', needs: ['db', 'schema'], find: ({ db }) => findQuarantined(db) },
  {
    name: 'leases',
    needs: ['db', 'schema', 'clock'],
    find: ({ db, clock }) => findStuckLeases(db, clock.now()),
  },
  {
    name: 'retention',
    needs: ['config', 'db', 'schema', 'clock'],
    find: async ({ config, db, clock }) =>
      findRetentionProblems(db, { config, nodes: await listNodes(db), now: clock.now() }),
  },
  {
    name: 'erasures',
    needs: ['db', 'schema', 'clock'],
    find: ({ db, clock }) => findUnfinishedErasures(db, clock.now()),
  },
  {
    name: 'setup',
    needs: ['db', 'schema', 'clock'], // most of it can be examined without the seal
    find: ({ db, clock, seal }) => findSetupProblems(db, { seal, now: clock.now() }),
  },
  { name: 'reports', needs: ['db', 'schema', 'clock'], find: ({ db, clock }) => findMissingReports(db, clock.now()) },
  { name: 'provider', needs: ['db', 'schema', 'seal', 'provider'], isOutside: true, find: findProviderProblems },
  {
    name: 'public_url',
    needs: ['config', 'db', 'schema'],
    isOutside: true,
    find: async ({ config, db }) => findPublicUrlProblems(config, await listNodes(db)),
  },
]

export const OUTSIDE_CHECKS: ReadonlySet<string> = new Set(
  CHECKS.filter(({ isOutside }) => isOutside).map(({ name }) => name),
)
