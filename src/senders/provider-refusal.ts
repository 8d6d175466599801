import { type ProviderAccount, ProviderRefused, ProviderUnreachable } from '../providers/provider.ts'
import { type AccountFault, AccountRefused } from './account-refused.ts'

/** What to tell an operator whose account the provider does not let us read. Errors of other kinds stay as they are. */
export const providerRefusal = (error: unknown, account: ProviderAccount): unknown =>
  error instanceof ProviderUnreachable || error instanceof ProviderRefused ? accountRefusal(error, account) : error

export function accountRefusal(
  error: ProviderRefused | ProviderUnreachable,
  { wabaId, graphUrl }: Pick<ProviderAccount, 'wabaId' | 'graphUrl'>,
): AccountRefused {
  if (error instanceof ProviderUnreachable)
    return new AccountRefused([
      {
        field: 'graphUrl',
        message: `WhatsApp could not be asked: ${error.message}. Check that ${graphUrl} is the Graph API and can be reached from here.`,
      },
    ])
  const { field, message } = remedy(error, wabaId)
  return new AccountRefused([{ field, message: `${message} (WhatsApp: ${error.message})` }])
}

/** Graph names the type of what it found under an id, or says that it found nothing. */
const OTHER_OBJECT = /nonexisting field|WhatsAppBusinessPhoneNumber|node type/i
const NO_OBJECT = /does not exist|missing permissions|cannot be loaded/i
const OTHER_APP = /appsecret_proof/i

function remedy({ error }: ProviderRefused, wabaId: string): AccountFault {
  const text = `${error.title} ${error.detail}`
  if (OTHER_APP.test(text))
    return {
      field: 'appSecret',
      message:
        'This is not the app secret of the app that the access token belongs to. Copy it in the App Dashboard of Meta under App settings > Basic, in the same app for which the token was made.',
    }
  if (OTHER_OBJECT.test(text))
    return {
      field: 'wabaId',
      message: `${wabaId} is the id of something else, perhaps of a phone number: give the id of the WhatsApp Business Account, which WhatsApp Manager shows.`,
    }
  if (NO_OBJECT.test(text))
    return {
      field: 'wabaId',
      message: `WhatsApp has no account ${wabaId} that this token may see. Check that the id is that of the WhatsApp Business Account, not of a phone number or app, and that the token’s system user has the account among its assets.`,
    }
  if (error.class === 'credentials')
    return {
      field: 'accessToken',
      message: `WhatsApp refuses the access token for the account ${wabaId}. Make a system user token with the permissions whatsapp_business_management and whatsapp_business_messaging, for a system user that has the account among its assets.`,
    }
  if (error.class === 'rate')
    return { field: null, message: 'WhatsApp limits how often this account may be read. Try again in an hour.' }
  if (error.class === 'transient')
    return { field: null, message: 'WhatsApp has a fault at present. Try again in some minutes.' }
  return { field: null, message: `WhatsApp refuses to read the account ${wabaId}.` }
}
