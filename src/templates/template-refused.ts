import { type ProviderError, ProviderRefused, ProviderUnreachable } from '../providers/provider.ts'
import { withCause } from '../senders/provider-refusal.ts'
import { type Sentence, keptSentences } from '../sentences.ts'
import { SetupRefused } from '../setup-refused.ts'

/** The field of the form; null when it is none of them. */
export type TemplateField = 'name' | 'language' | 'header' | 'body' | 'footer' | 'buttons' | null
export type TemplateFault = { field: TemplateField; message: Sentence }

/** A template that cannot be created or deleted as asked: says what is wrong and what to do. */
export class TemplateRefused extends SetupRefused {
  readonly fault: TemplateFault

  constructor(fault: TemplateFault) {
    super(fault.message)
    this.name = 'TemplateRefused'
    this.fault = fault
  }
}

const says = keptSentences({
  tooMany: {
    en: 'The WhatsApp account has as many templates as it may. Delete one that nobody uses, or verify the business at Meta, which allows more.',
    ar: 'بلغ حساب واتساب أقصى عدد من القوالب. احذف قالبًا لا يستخدمه أحد، أو وثّق النشاط التجاري لدى Meta فيُسمح بعدد أكبر.',
  },
  status: {
    en: 'WhatsApp does not allow this in the template’s present status. A disabled template cannot be deleted.',
    ar: 'لا يسمح واتساب بهذا في حالة القالب الحالية. لا يمكن حذف قالب معطّل.',
  },
  tooLong: { en: 'WhatsApp says that one of the texts is too long.', ar: 'يقول واتساب إن أحد النصوص أطول من المسموح.' },
  header: { en: 'WhatsApp does not take this header.', ar: 'لا يقبل واتساب هذا العنوان.' },
  body: { en: 'WhatsApp does not take this body.', ar: 'لا يقبل واتساب هذا النص.' },
  footer: { en: 'WhatsApp does not take this footer.', ar: 'لا يقبل واتساب هذا التذييل.' },
  fewWords: {
    en: 'WhatsApp says that there are too many variables for so little text. Write more, or use fewer variables.',
    ar: 'يقول واتساب إن المتغيرات كثيرة على نص بهذا القصر. اكتب نصًا أطول أو استخدم متغيرات أقل.',
  },
  edge: {
    en: 'WhatsApp wants text before the first variable and after the last one.',
    ar: 'يريد واتساب نصًا قبل أول متغير وبعد آخر متغير.',
  },
  taken: {
    en: 'WhatsApp has a template of this name in this language already. It is among the templates now.',
    ar: 'في واتساب قالب بهذا الاسم وبهذه اللغة من قبل. تجده الآن بين القوالب.',
  },
  deleted: {
    en: 'A template of this name was deleted in this language. WhatsApp lets nobody use the name again for 30 days: choose another.',
    ar: 'حُذف بهذه اللغة قالب بهذا الاسم. لا يسمح واتساب لأحد باستخدام الاسم مجددًا طوال 30 يومًا: اختر اسمًا آخر.',
  },
  credentials: {
    en: 'WhatsApp refuses the account’s access token for this. It needs the permission whatsapp_business_management: give the account a new token on the page of the senders.',
    ar: 'لا يقبل واتساب رمز الوصول الخاص بالحساب لهذا. تلزمه صلاحية إدارة واتساب للأعمال: أعط الحساب رمزًا جديدًا في صفحة المرسلين.',
  },
  rate: {
    en: 'WhatsApp limits how many templates are changed in an hour. Nothing was changed; try again in an hour.',
    ar: 'يحدّ واتساب من عدد القوالب التي تتغيّر في الساعة. لم يتغيّر شيء؛ حاول مجددًا بعد ساعة.',
  },
  fault: {
    en: 'WhatsApp has a fault at present. Try again in some minutes.',
    ar: 'في واتساب خلل حاليًا. حاول مجددًا بعد دقائق.',
  },
  refused: { en: 'WhatsApp does not take this.', ar: 'لا يقبل واتساب هذا.' },
  unreachable: {
    en: 'WhatsApp could not be reached, so nothing was changed. Try again in a moment. ({said})',
    ar: 'تعذّر الوصول إلى واتساب، فلم يتغيّر شيء. حاول مجددًا بعد لحظات. ({said})',
  },
})

/**
 * Faults of management calls (whatsapp-cloud-api.md §3.3), which come as the code or as the sub-code of 100. The last two
 * are of names: taken, and deleted within the last 30 days.
 */
const FAULTS: Readonly<Record<number, TemplateFault>> = {
  2_388_019: { field: null, message: says.tooMany },
  2_388_039: { field: null, message: says.status },
  2_388_040: { field: null, message: says.tooLong },
  2_388_047: { field: 'header', message: says.header },
  2_388_072: { field: 'body', message: says.body },
  2_388_073: { field: 'footer', message: says.footer },
  2_388_293: { field: 'body', message: says.fewWords },
  2_388_299: { field: 'body', message: says.edge },
  2_388_024: { field: 'name', message: says.taken },
  2_388_023: { field: 'name', message: says.deleted },
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
      message: says.unreachable({ said: error.sentence }),
    })
  if (!(error instanceof ProviderRefused)) return error
  const { field, message } = faultOf(error.error)
  return new TemplateRefused({ field, message: withCause({ message, said: error.sentence }) })
}

function faultOf(error: ProviderError): TemplateFault {
  const known = FAULTS[numberOf(error)] ?? FAULTS[error.code ?? 0]
  if (known) return known
  if (error.class === 'credentials') return { field: null, message: says.credentials }
  if (error.class === 'rate') return { field: null, message: says.rate }
  if (error.class === 'transient' || error.class === 'doubtful') return { field: null, message: says.fault }
  return { field: null, message: says.refused }
}
