import type { FailureCode, Remedy } from '../providers/provider.ts'
import { type Sentence, sentences } from '../sentences.ts'
import type { AttemptFact, ProviderReader, ReportFact } from './facts.ts'

/** What is known of how a message failed. */
export type Story = {
  attempts: readonly AttemptFact[]
  reports: readonly ReportFact[]
  provider: ProviderReader
}

/** Exacter than the failure code alone, where the story is. */
export function afterFailure(failureCode: FailureCode, story: Story): Remedy {
  const cause = causeOf(failureCode, story)
  const error = findNamed(cause, story.provider)
  if (error?.remedy && error.failureCode === failureCode) return error.remedy
  if (failureCode === 'PROVIDER_UNAVAILABLE') return afterFault(cause, error)
  if (failureCode !== 'UNKNOWN')
    return { who: CALLERS_PART.has(failureCode) ? 'caller' : 'operator', sentence: remedies[failureCode] }
  return { who: 'operator', sentence: lookUp(cause, error) }
}

type Cause = {
  /** WhatsApp's own; null when it named none. */
  code: number | null
  /** By a status report, not in answer to an attempt. */
  reported: boolean
  mayHaveArrived: boolean
}

function causeOf(failureCode: FailureCode, { attempts, reports, provider }: Story): Cause {
  const failures = reports.flatMap(({ body, outcome }) =>
    outcome === 'applied' ? (provider.readStatus(body)?.error ?? []) : [],
  )
  const reported = failures.findLast((error) => error.failureCode === failureCode)
  return {
    code: reported ? reported.code : (attempts.at(-1)?.providerCode ?? null),
    reported: reported !== undefined,
    mayHaveArrived: attempts.some(({ outcome }) => outcome === 'unknown'),
  }
}

/** The error of that code, if it is known. */
function findNamed({ code }: Cause, provider: ProviderReader) {
  if (code === null) return undefined
  const error = provider.findError(code)
  return error && { code, ...error }
}

function afterFault({ reported, mayHaveArrived }: Cause, error: { code: number; title: Sentence } | undefined): Remedy {
  if (reported && error) return { who: 'caller', sentence: says.faultReported(error) }
  if (mayHaveArrived) return { who: 'caller', sentence: says.mayHaveArrived }
  return { who: 'caller', sentence: error ? says.faultTillTheEnd(error) : remedies.PROVIDER_UNAVAILABLE }
}

function lookUp({ code, reported }: Cause, error: { code: number; title: Sentence } | undefined): Sentence {
  if (error) return says.knownCode(error)
  if (code !== null) return says.unknownCode({ code })
  return reported ? says.nothingReported : says.nothingSaid
}

const says = sentences({
  faultReported: {
    en: 'The caller must send again, because WhatsApp took the message and then had a fault with it: code {code}, {title}.',
    ar: 'على صاحب الطلب أن يرسل مجددًا، لأن واتساب قبِل الرسالة ثم حدث فيه خلل: الرمز {code}، {title}.',
  },
  faultTillTheEnd: {
    en: 'The caller must send again, because WhatsApp had a fault until the time to send had passed: code {code}, {title}.',
    ar: 'على صاحب الطلب أن يرسل مجددًا، لأن واتساب كان فيه خلل حتى انقضى وقت الإرسال: الرمز {code}، {title}.',
  },
  mayHaveArrived: {
    en: 'The caller must send again if the recipient has got nothing: what WhatsApp did with an attempt is not known, so the message may have arrived.',
    ar: 'على صاحب الطلب أن يرسل مجددًا إن لم يصل إلى المستلم شيء: فلا يُعرف ما فعله واتساب بإحدى المحاولات، وربما وصلت الرسالة.',
  },
  nothingReported: {
    en: 'The operator must look in WhatsApp Manager for what is wrong, because WhatsApp reported the failure without a code.',
    ar: 'على المشغّل أن يبحث في مدير واتساب عن الخلل، لأن واتساب أبلغ بالفشل بلا رمز.',
  },
  nothingSaid: {
    en: 'The operator must read WhatsApp’s answer to the last attempt above, because it names no code.',
    ar: 'على المشغّل أن يقرأ رد واتساب على المحاولة الأخيرة أعلاه، لأنه لا يذكر رمزًا.',
  },
  unknownCode: {
    en: 'The operator must look up WhatsApp’s own code {code}, which Doorcode does not know.',
    ar: 'على المشغّل أن يبحث عن رمز واتساب {code}، فهو غير معروف في Doorcode.',
  },
  knownCode: {
    en: 'The operator must look up WhatsApp’s own code {code}, {title}, which a message of Doorcode should not meet.',
    ar: 'على المشغّل أن يبحث عن رمز واتساب {code}، {title}، فلا ينبغي أن تصادفه رسالة من Doorcode.',
  },
})

const remedies = sentences({
  RECIPIENT_UNREACHABLE: {
    en: 'The caller must check the number with the recipient or use another channel.',
    ar: 'على صاحب الطلب أن يتحقق من الرقم مع المستلم أو يستخدم قناة أخرى.',
  },
  RECIPIENT_NOT_ALLOWED: {
    en: 'The operator must look up in WhatsApp Manager why the sender may not write to this recipient.',
    ar: 'على المشغّل أن يبحث في مدير واتساب عن سبب منع المرسل من مراسلة هذا المستلم.',
  },
  RECIPIENT_RATE_LIMITED: {
    en: 'The caller must wait before sending to this recipient again.',
    ar: 'على صاحب الطلب أن ينتظر قبل مراسلة هذا المستلم مجددًا.',
  },
  SENDER_RATE_LIMITED: {
    en: 'The caller must spread messages over time or use another sender, and send again.',
    ar: 'على صاحب الطلب أن يوزّع الرسائل على وقت أطول أو يستخدم مرسلًا آخر، ثم يرسل مجددًا.',
  },
  SENDER_UNAVAILABLE: {
    en: 'The operator must check registration, display name, payment and restrictions of the number in WhatsApp Manager.',
    ar: 'على المشغّل أن يراجع تسجيل الرقم واسم عرضه ودفعه وقيوده في مدير واتساب.',
  },
  PROVIDER_CREDENTIALS_INVALID: {
    en: 'The operator must connect the account again with a token that works, on the page Senders or with "account connect".',
    ar: 'على المشغّل أن يعطي الحساب رمز وصول صالحًا من صفحة المرسلين.',
  },
  TEMPLATE_NOT_FOUND: {
    en: 'The operator must check name, language and approval of the template, then sync the account, on the page Senders or with "account sync".',
    ar: 'على المشغّل أن يراجع اسم القالب ولغته والموافقة عليه، ثم يزامن الحساب من صفحة المرسلين.',
  },
  TEMPLATE_PAUSED: {
    en: 'The operator must look up in WhatsApp Manager why the template is paused or held back, or have another one used.',
    ar: 'على المشغّل أن يبحث في مدير واتساب عن سبب إيقاف القالب مؤقتًا أو حجز رسائله، أو أن يُستخدم قالب آخر.',
  },
  TEMPLATE_DISABLED: {
    en: 'The operator must create another template, because WhatsApp disabled this one.',
    ar: 'على المشغّل أن ينشئ قالبًا آخر لأن واتساب عطّل هذا.',
  },
  TEMPLATE_PARAMETERS_REJECTED: {
    en: 'The operator must sync the account, on the page Senders or with "account sync", and compare the template with WhatsApp Manager.',
    ar: 'على المشغّل أن يزامن الحساب من صفحة المرسلين ويقارن القالب بما في مدير واتساب.',
  },
  POLICY_VIOLATION: {
    en: 'The operator must read WhatsApp’s notice in WhatsApp Manager and appeal or wait.',
    ar: 'على المشغّل أن يقرأ إشعار واتساب في مدير واتساب، وأن يعترض أو ينتظر.',
  },
  WINDOW_CLOSED: {
    en: 'The caller must send a template, because the recipient’s last message is more than 24 hours old.',
    ar: 'على صاحب الطلب أن يرسل قالبًا، لأن آخر رسالة من المستلم مضى عليها أكثر من 24 ساعة.',
  },
  PROVIDER_UNAVAILABLE: {
    en: 'The caller must send again, because WhatsApp took no attempt to send the message until the time for it had passed.',
    ar: 'على صاحب الطلب أن يرسل مجددًا، لأن واتساب لم يقبل أي محاولة لإرسال الرسالة حتى انقضى وقتها.',
  },
  SUBMISSION_EXPIRED: {
    en: 'The caller must send again, because the message could not be handed over in the time allowed for it.',
    ar: 'على صاحب الطلب أن يرسل مجددًا، لأن الرسالة لم تُسلَّم إلى واتساب في الوقت المسموح به.',
  },
})

const CALLERS_PART: ReadonlySet<FailureCode> = new Set([
  'RECIPIENT_UNREACHABLE',
  'RECIPIENT_RATE_LIMITED',
  'SENDER_RATE_LIMITED',
  'WINDOW_CLOSED',
  'SUBMISSION_EXPIRED',
])
