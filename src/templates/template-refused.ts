import { type ProviderError, ProviderRefused, ProviderUnreachable } from '../providers/provider.ts'
import { SetupRefused } from '../setup-refused.ts'

/** The field of the form; null when it is none of them. */
export type TemplateField = 'name' | 'language' | 'header' | 'body' | 'footer' | 'buttons' | null
export type TemplateFault = { field: TemplateField; message: string }

/** A template that cannot be created or deleted as asked: says what is wrong and what to do. */
export class TemplateRefused extends SetupRefused {
  readonly fault: TemplateFault

  constructor(fault: TemplateFault) {
    super(fault.message)
    this.name = 'TemplateRefused'
    this.fault = fault
  }
}

/**
 * Faults of management calls (whatsapp-cloud-api.md §3.3), which come as the code or as the sub-code of 100. The last two
 * are of names: taken, and deleted within the last 30 days.
 */
const FAULTS: Readonly<Record<number, TemplateFault>> = {
  2_388_019: {
    field: null,
    message:
      'The WhatsApp account has as many templates as it may. Delete one that nobody uses, or verify the business at Meta, which allows more.',
  },
  2_388_039: {
    field: null,
    message: 'WhatsApp does not allow this in the template’s present status. A disabled template cannot be deleted.',
  },
  2_388_040: { field: null, message: 'WhatsApp says that one of the texts is too long.' },
  2_388_047: { field: 'header', message: 'WhatsApp does not take this header.' },
  2_388_072: { field: 'body', message: 'WhatsApp does not take this body.' },
  2_388_073: { field: 'footer', message: 'WhatsApp does not take this footer.' },
  2_388_293: {
    field: 'body',
    message: 'WhatsApp says that there are too many variables for so little text. Write more, or use fewer variables.',
  },
  2_388_299: {
    field: 'body',
    message: 'WhatsApp wants text before the first variable and after the last one.',
  },
  2_388_024: {
    field: 'name',
    message: 'WhatsApp has a template of this name in this language already. It is among the templates now.',
  },
  2_388_023: {
    field: 'name',
    message:
      'A template of this name was deleted in this language. WhatsApp lets nobody use the name again for 30 days: choose another.',
  },
}

const NAME_TAKEN = 2_388_024
const NO_SUCH_TEMPLATE = 2_593_002

const numberOf = ({ code, subcode }: ProviderError): number => subcode ?? code ?? 0

export const isNameTaken = (error: unknown): boolean =>
  error instanceof ProviderRefused && numberOf(error.error) === NAME_TAKEN

export const isNoSuchTemplate = (error: unknown): boolean =>
  error instanceof ProviderRefused && numberOf(error.error) === NO_SUCH_TEMPLATE

/** What to tell whoever creates or deletes a template. Errors of other kinds stay as they are. */
export function templateRefusal(error: unknown): unknown {
  if (error instanceof ProviderUnreachable)
    return new TemplateRefused({
      field: null,
      message: `WhatsApp could not be reached, so nothing was changed. Try again in a moment. (${error.message})`,
    })
  if (!(error instanceof ProviderRefused)) return error
  const { field, message } = faultOf(error.error)
  return new TemplateRefused({ field, message: `${message} (WhatsApp: ${error.message})` })
}

function faultOf(error: ProviderError): TemplateFault {
  const known = FAULTS[numberOf(error)] ?? FAULTS[error.code ?? 0]
  if (known) return known
  if (error.class === 'credentials')
    return {
      field: null,
      message:
        'WhatsApp refuses the account’s access token for this. It needs the permission whatsapp_business_management: give the account a new token on the page of the senders.',
    }
  if (error.class === 'rate')
    return {
      field: null,
      message: 'WhatsApp limits how many templates are changed in an hour. Nothing was changed; try again in an hour.',
    }
  if (error.class === 'transient' || error.class === 'doubtful')
    return { field: null, message: 'WhatsApp has a fault at present. Try again in some minutes.' }
  return { field: null, message: 'WhatsApp does not take this.' }
}
