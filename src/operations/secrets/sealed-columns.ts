import type { SealingKey } from '../../lib/seal.ts'

/**
 * Every sealed column, by table, and the context that its bytes are sealed for. `rotateSecrets` seals each again under the
 * new key; a guard compares the table with the schema.
 */
export const sealedColumns = {
  provider_accounts: {
    access_token: (id: string): string => `account:${id}:access_token`,
    verify_token: (id: string): string => `account:${id}:verify_token`,
    app_secret: (id: string): string => `account:${id}:app_secret`,
    previous_app_secret: (id: string): string => `account:${id}:app_secret`,
  },
  webhook_endpoints: {
    secret: (id: string): string => `endpoint:${id}`,
    previous_secret: (id: string): string => `endpoint:${id}`,
  },
  messages: {
    code: (id: string): string => `otp:${id}`,
  },
  unfinished_erasures: {
    person: (id: string): string => `erasure:${id}`,
  },
} as const satisfies Record<string, Readonly<Record<string, (id: string) => string>>>

/** The text of `unfinished_erasures.person`. */
export type KeptPerson = { phone: string; userIds: readonly string[] }

/** `unfinished_erasures.person_hash`: a rotation computes it again under the new key. */
export const hashOfKeptPhone = (
  key: SealingKey,
  { workspaceId, phone }: { workspaceId: string; phone: string },
): Buffer => key.hash(`erasure:${workspaceId}:${phone}`)
