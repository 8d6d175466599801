import { type Sentence, joined } from '../sentences.ts'
import { type SetupCode, SetupRefused } from '../setup-refused.ts'

/** What of an account is wrong; null when it is none of what was given. */
export type AccountField = 'wabaId' | 'accessToken' | 'appSecret' | 'verifyToken' | 'graphUrl'
export type AccountFault = { field: AccountField | null; message: Sentence }

const SPACE: Sentence = { en: ' ', ar: ' ' }

/** An account that cannot be connected or read as it was given: each fault says what is wrong and what to do. */
export class AccountRefused extends SetupRefused {
  readonly faults: readonly AccountFault[]

  constructor(faults: readonly AccountFault[], code?: SetupCode) {
    super(
      joined(
        faults.map(({ message }) => message),
        SPACE,
      ),
      code,
    )
    this.name = 'AccountRefused'
    this.faults = faults
  }
}
