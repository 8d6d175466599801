import { type ProviderAccount, ProviderRefused, ProviderUnreachable } from '../providers/provider.ts'
import { keptSentences } from '../sentences.ts'
import { type AccountFault, AccountRefused } from './account-refused.ts'

/** What to tell an operator whose account the provider does not let us read. Errors of other kinds stay as they are. */
export const providerRefusal = (error: unknown, account: ProviderAccount): unknown =>
  error instanceof ProviderUnreachable || error instanceof ProviderRefused ? accountRefusal(error, account) : error

export function accountRefusal(
  error: ProviderRefused | ProviderUnreachable,
  { wabaId, graphUrl }: Pick<ProviderAccount, 'wabaId' | 'graphUrl'>,
): AccountRefused {
  if (error instanceof ProviderUnreachable)
    return new AccountRefused(
      [{ field: 'graphUrl', message: says.unreachable({ said: error.sentence, graphUrl }) }],
      'SERVICE_UNAVAILABLE',
    )
  const { field, message } = remedy(error, wabaId)
  const passes = error.error.class === 'rate' || error.error.class === 'transient'
  return new AccountRefused(
    [{ field, message: withCause({ message, said: error.sentence }) }],
    passes ? 'SERVICE_UNAVAILABLE' : undefined,
  )
}

/** Graph names the type of what it found under an id, or says that it found nothing. */
const OTHER_OBJECT = /nonexisting field|WhatsAppBusinessPhoneNumber|node type/i
const NO_OBJECT = /does not exist|missing permissions|cannot be loaded/i
const OTHER_APP = /appsecret_proof/i

function remedy({ error }: ProviderRefused, wabaId: string): AccountFault {
  const text = `${error.title} ${error.detail}`
  if (OTHER_APP.test(text)) return { field: 'appSecret', message: remedies.otherApp }
  if (OTHER_OBJECT.test(text)) return { field: 'wabaId', message: remedies.otherObject({ wabaId }) }
  if (NO_OBJECT.test(text)) return { field: 'wabaId', message: remedies.noObject({ wabaId }) }
  if (error.class === 'credentials') return { field: 'accessToken', message: remedies.token({ wabaId }) }
  if (error.class === 'rate') return { field: null, message: remedies.rate }
  if (error.class === 'transient') return { field: null, message: remedies.fault }
  return { field: null, message: remedies.other({ wabaId }) }
}

const remedies = keptSentences({
  otherApp: {
    en: 'This is not the app secret of the app that the access token belongs to. Copy it in the App Dashboard of Meta under App settings > Basic, in the same app for which the token was made.',
    ar: 'هذا ليس سر التطبيق الذي أُنشئ له رمز الوصول. انسخه من لوحة التطبيقات لدى Meta ضمن إعدادات التطبيق > أساسي، من التطبيق نفسه الذي أُنشئ له الرمز.',
  },
  otherObject: {
    en: '{wabaId} is the id of something else, perhaps of a phone number: give the id of the WhatsApp Business Account, which WhatsApp Manager shows.',
    ar: '{wabaId} معرّف لشيء آخر، وربما لرقم هاتف: أعط معرّف حساب واتساب للأعمال الذي يظهر في مدير واتساب.',
  },
  noObject: {
    en: 'WhatsApp has no account {wabaId} that this token may see. Check that the id is that of the WhatsApp Business Account, not of a phone number or app, and that the token’s system user has the account among its assets.',
    ar: 'لا يوجد في واتساب حساب {wabaId} يحق لهذا الرمز رؤيته. تأكد من أن المعرّف لحساب واتساب للأعمال وليس لرقم هاتف أو تطبيق، ومن أن الحساب بين أصول مستخدم النظام صاحب الرمز.',
  },
  token: {
    en: 'WhatsApp refuses the access token for the account {wabaId}. Make a system user token with the permissions whatsapp_business_management and whatsapp_business_messaging, for a system user that has the account among its assets.',
    ar: 'يرفض واتساب رمز الوصول للحساب {wabaId}. أنشئ رمزًا لمستخدم نظام بصلاحيتي إدارة واتساب للأعمال والمراسلة فيه، على أن يكون الحساب بين أصول هذا المستخدم.',
  },
  rate: {
    en: 'WhatsApp limits how often this account may be read. Try again in an hour.',
    ar: 'يحدّ واتساب من عدد مرات قراءة هذا الحساب. حاول مجددًا بعد ساعة.',
  },
  fault: {
    en: 'WhatsApp has a fault at present. Try again in some minutes.',
    ar: 'في واتساب خلل حاليًا. حاول مجددًا بعد دقائق.',
  },
  other: {
    en: 'WhatsApp refuses to read the account {wabaId}.',
    ar: 'يرفض واتساب قراءة الحساب {wabaId}.',
  },
})

export const { withCause } = keptSentences({
  withCause: { en: '{message} (WhatsApp: {said})', ar: '{message} (واتساب: {said})' },
})

/** Also kept as why an account cannot be read. */
const says = keptSentences({
  unreachable: {
    en: 'WhatsApp could not be asked: {said}. Check that {graphUrl} is the Graph API and can be reached from here.',
    ar: 'تعذّر سؤال واتساب: {said}. تأكد من أن {graphUrl} هو واجهة واتساب ويمكن الوصول إليه من هنا.',
  },
})
