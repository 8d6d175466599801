import { keptSentences } from '../sentences.ts'
import { STATUSES_IN_ARABIC } from './status-words.ts'

/** What a customer can send that is no text, by the provider's word. */
export const KINDS = {
  image: 'صورة',
  video: 'مقطع فيديو',
  audio: 'رسالة صوتية',
  document: 'مستند',
  sticker: 'ملصق',
  location: 'موقع',
  contacts: 'جهات اتصال',
  reaction: 'تفاعل',
}

/** Why an event changed nothing, as both machines say it. */
export const ignored = keptSentences({
  changesNothing: {
    en: '"{trigger}" changes nothing while {status}',
    ar: '{trigger} لا يغيّر شيئًا ما دامت الحالة «{status}»',
    words: {
      trigger: {
        submitted: 'اكتمال الإرسال',
        confirm: 'الضغط على «تأكيد»',
        cancel: 'الضغط على «إلغاء»',
        change_time: 'الضغط على «تغيير الموعد»',
        day: 'اختيار يوم',
        range: 'اختيار وقت',
        day_and_range: 'اختيار يوم ووقت',
        other_choice: 'اختيار آخر',
        yes: 'الضغط على «نعم»',
        no: 'الضغط على «لا»',
        reason: 'اختيار سبب',
        other_reason: 'اختيار سبب غيره',
        other: 'اختيار «سبب آخر»',
        text: 'نص مكتوب',
        message: 'رسالة من العميل',
        reminder: 'حلول التذكير',
        deadline: 'انقضاء المهلة',
        expiry: 'انتهاء المتابعة',
        send_failed: 'فشل الإرسال',
      },
      status: STATUSES_IN_ARABIC,
    },
  },
  laterIsKnown: { en: 'a later message is known', ar: 'تُعرف رسالة أحدث' },
})
