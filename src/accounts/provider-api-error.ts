import type { CodedText } from '../../locales/text.ts'
import {
  type ProviderAccount,
  type ProviderError,
  ProviderRejectedError,
  ProviderUnreachableError,
} from '../providers/provider.ts'
import { type FieldFault, FieldError } from '../lib/errors.ts'

export type ProviderFailure = ProviderRejectedError | ProviderUnreachableError

export const isProviderFailure = (error: unknown): error is ProviderFailure =>
  error instanceof ProviderRejectedError || error instanceof ProviderUnreachableError

/** Explains the provider's error to the operator. Throws any other error unchanged. */
export const throwAccountError = (account: ProviderAccount) => (error: unknown) => {
  throw isProviderFailure(error) ? createAccountError(error, account) : error
}

export function createAccountError(
  error: ProviderFailure,
  { wabaId, graphUrl }: Pick<ProviderAccount, 'wabaId' | 'graphUrl'>,
): FieldError {
  if (error instanceof ProviderUnreachableError) {
    const message: CodedText = { code: 'accounts.provider_rejection_unreachable', cause: error.text, graphUrl }
    return new FieldError([{ field: 'graphUrl', message }], 'SERVICE_UNAVAILABLE')
  }
  const mayPass = error.error.class === 'rate' || isTemporary(error.error)
  return new FieldError(
    [withCause(accountFault(error.error, wabaId), error)],
    mayPass ? 'SERVICE_UNAVAILABLE' : undefined,
  )
}

/** A fault of WhatsApp. It may be gone in a few minutes. */
export const isTemporary = ({ class: errorClass }: Pick<ProviderError, 'class'>): boolean =>
  errorClass === 'transient' || errorClass === 'doubtful'

const withCause = ({ field, message }: FieldFault, { text: cause }: ProviderFailure): FieldFault => ({
  field,
  message: { code: 'accounts.with_cause', message, cause },
})

/** Graph names the type of the object that has the id, or says that none has it. */
const OTHER_OBJECT = /nonexisting field|WhatsAppBusinessPhoneNumber|node type/i
const NO_OBJECT = /does not exist|missing permissions|cannot be loaded/i
const OTHER_APP = /appsecret_proof/i

function accountFault(error: ProviderError, wabaId: string): FieldFault {
  const { title, detail, class: errorClass } = error
  // For an unknown code the title quotes WhatsApp's message.
  const words = title.code === 'words.quoted' && typeof title.words === 'string' ? title.words : ''
  const text = `${words} ${detail}`
  if (OTHER_APP.test(text)) return { field: 'appSecret', message: { code: 'accounts.remedy_other_app' } }
  if (OTHER_OBJECT.test(text)) return { field: 'wabaId', message: { code: 'accounts.remedy_other_object', wabaId } }
  if (NO_OBJECT.test(text)) return { field: 'wabaId', message: { code: 'accounts.remedy_no_object', wabaId } }
  if (errorClass === 'credentials') return { field: 'accessToken', message: { code: 'accounts.remedy_token', wabaId } }
  if (errorClass === 'rate') return { field: null, message: { code: 'accounts.remedy_rate' } }
  if (isTemporary(error)) return { field: null, message: { code: 'accounts.remedy_fault' } }
  return { field: null, message: { code: 'accounts.provider_rejection_remedy_other', wabaId } }
}

export const NAME_TAKEN = 2_388_024
export const NO_SUCH_TEMPLATE = 2_593_002

/** Keys are error codes, or sub-codes of 100. The fields are paths in the input of `submitTemplate`. */
const TEMPLATE_FAULTS: Readonly<Record<number, FieldFault>> = {
  2_388_019: { field: null, message: { code: 'accounts.too_many' } },
  2_388_039: { field: null, message: { code: 'accounts.template_rejected_status' } },
  2_388_040: { field: null, message: { code: 'accounts.template_rejected_too_long' } },
  2_388_047: { field: 'draft.header', message: { code: 'accounts.header' } },
  2_388_072: { field: 'draft.body', message: { code: 'accounts.body' } },
  2_388_073: { field: 'draft.footer', message: { code: 'accounts.footer' } },
  2_388_293: { field: 'draft.body', message: { code: 'accounts.template_rejected_few_words' } },
  2_388_299: { field: 'draft.body', message: { code: 'accounts.template_rejected_edge' } },
  [NAME_TAKEN]: { field: 'draft.name', message: { code: 'accounts.taken' } },
  2_388_023: { field: 'draft.name', message: { code: 'accounts.deleted' } },
}

const numberOf = ({ code, subcode }: ProviderError): number => subcode ?? code ?? 0

export const isRejectedWith = (number: number, error: unknown): boolean =>
  error instanceof ProviderRejectedError && numberOf(error.error) === number

/** Explains the provider's error to the user of the form. Returns any other error unchanged. */
export function toTemplateError(error: unknown): unknown {
  if (error instanceof ProviderRejectedError) return new FieldError([withCause(templateFault(error.error), error)])
  if (!(error instanceof ProviderUnreachableError)) return error
  const message: CodedText = { code: 'accounts.template_rejected_unreachable', cause: error.text }
  return new FieldError([{ field: null, message }])
}

function templateFault(error: ProviderError): FieldFault {
  const known = TEMPLATE_FAULTS[numberOf(error)] ?? TEMPLATE_FAULTS[error.code ?? 0]
  if (known) return known
  if (error.class === 'credentials') return { field: null, message: { code: 'accounts.credentials' } }
  if (error.class === 'rate') return { field: null, message: { code: 'accounts.rate' } }
  return { field: null, message: { code: isTemporary(error) ? 'accounts.remedy_fault' : 'accounts.template_rejected' } }
}
