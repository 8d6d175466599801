import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { ControlError } from '../errors.ts'
import { EMULATOR_LIMITS } from '../limits.ts'
import { type Account, type AccountSeed, type Accounts, accountSeedSchema, id as accountId } from './accounts.ts'
import { shopTemplates } from './demo.ts'

const issueSchema = z.strictObject({
  id: accountId,
  name: z.string().trim().min(1).max(EMULATOR_LIMITS.nameCharacters).default('Example business'),
})

/**
 * A business that can send immediately: a number, the demo's templates, and credentials that the emulator makes. A repeated call
 * returns the same account, so that a program can connect it again. Throws a ControlError if the id is another account's.
 */
export function issueAccount(accounts: Accounts, input: unknown, now: number): Account {
  const { id, name } = issueSchema.parse(input)
  const existing = accounts.find(id)
  if (existing?.issued) return existing
  if (existing)
    throw new ControlError(`account ${id} already exists, and its credentials were not made by the emulator`, 409)
  return accounts.add(accountSeedSchema.parse(seedOf(id, name, freeNumber(accounts))), now, true)
}

const seedOf = (id: string, name: string, displayPhoneNumber: string): AccountSeed => ({
  id,
  name,
  accessToken: `EAA${randomBytes(24).toString('hex')}`,
  appSecret: randomBytes(16).toString('hex'),
  verifyToken: randomBytes(16).toString('hex'),
  numbers: [{ displayPhoneNumber, verifiedName: name }],
  templates: shopTemplates()
    .filter(({ category, status }) => category !== 'MARKETING' && status === undefined)
    .map(({ id: _id, components, ...template }) => ({
      ...template,
      components: components.filter((component) => !('text' in component && component.type === 'FOOTER')),
    })),
})

/** Takes a number from a range that no real phone uses. */
function freeNumber(accounts: Accounts): string {
  for (let last = 1; last <= EMULATOR_LIMITS.accounts; last += 1) {
    const number = `+1 555-011-${String(last).padStart(4, '0')}`
    if (!accounts.findNumberByName(number)) return number
  }
  throw new ControlError(`there are already ${EMULATOR_LIMITS.accounts} such accounts`)
}

/** What a program needs to connect it. The control API shows no other account's credentials. */
export const credentialsOf = ({ id, accessToken, appSecret, verifyToken }: Account) => ({
  id,
  accessToken,
  appSecret,
  verifyToken,
})
