import { coded } from '../../../../locales/text.ts'
import { getAccount, listAccounts } from '../../../accounts/accounts.ts'
import { UnreadableCredentialsError } from '../../../accounts/unreadable.ts'
import { SECOND_MS } from '../../../lib/clock.ts'
import { ProviderRejectedError, ProviderUnreachableError } from '../../../providers/provider.ts'
import { UserError } from '../../../lib/errors.ts'
import { withTimeout } from '../../../lib/with-timeout.ts'
import type { Instance } from '../check.ts'
import { type NewFinding, durationText } from '../finding.ts'
import { findInEach, listExamined } from '../setup.ts'

/** One short call for each. */
const MAX_ACCOUNTS = 50
const MAX_CONCURRENT = 10
const ANSWER_TIMEOUT_MS = 4 * SECOND_MS

type Account = { accountId: string; wabaId: string; workspace: string }

/** Whether WhatsApp accepts the token of each connected account of a live workspace and sends the account's webhooks to an app. */
export async function findProviderProblems(instance: Instance): Promise<NewFinding[]> {
  const accounts = await listConnected(instance)
  const found: NewFinding[] = []
  const called = accounts.slice(0, MAX_ACCOUNTS)
  for (let from = 0; from < called.length; from += MAX_CONCURRENT) {
    const some = called.slice(from, from + MAX_CONCURRENT)
    found.push(...(await Promise.all(some.map((account) => findProblemsOf(instance, account)))).flat())
  }
  if (accounts.length > MAX_ACCOUNTS) found.push({ code: 'accounts_left_out', number: accounts.length - MAX_ACCOUNTS })
  return found
}

async function listConnected({ db }: Instance): Promise<Account[]> {
  const { live } = await listExamined(db)
  return findInEach(db, live, async (batched, { workspaceId, name: workspace }) =>
    (await listAccounts(batched, workspaceId))
      .filter(({ status }) => status === 'connected')
      .map(({ accountId, wabaId }) => ({ accountId, wabaId, workspace })),
  )
}

async function findProblemsOf(instance: Instance, { accountId, wabaId, workspace }: Account): Promise<NewFinding[]> {
  const of = { workspace, wabaId }
  try {
    const call = getAccount(instance, accountId).then((account) => instance.provider.subscribers(account))
    if (!(await withTimeout(ANSWER_TIMEOUT_MS, call))) {
      call.catch(() => {}) // its result is no longer needed
      const detail = coded('doctor.no_answer', { duration: durationText(ANSWER_TIMEOUT_MS) })
      return [{ code: 'provider_unreachable', ...of, detail }]
    }
    return (await call).length === 0 ? [{ code: 'not_subscribed', ...of }] : []
  } catch (error) {
    if (error instanceof ProviderUnreachableError) return [{ code: 'provider_unreachable', ...of, detail: error.text }]
    if (error instanceof UnreadableCredentialsError) return [{ code: 'account_unreadable', ...of }]
    if (error instanceof UserError) return [] // removed meanwhile
    if (!(error instanceof ProviderRejectedError)) throw error
    const code = error.error.class === 'credentials' ? 'token_rejected' : 'provider_rejects'
    return [{ code, ...of, detail: error.text }]
  }
}
