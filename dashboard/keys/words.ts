import { words } from '../words.ts'

export const keyWords = words({
  en: {
    title: 'API keys',
    about: 'Your backend shows one of these with each request. A key belongs to this workspace alone.',
    empty: 'There is no key yet. Create one, and your backend can send its first code.',
    create: 'Create a key',
    name: 'Name',
    nameHint: 'What you will know it by, such as the backend that holds it',
    onceTitle: 'Your new key',
    once: 'Copy it now. Only a hash of it is kept, and nobody can show it again.',
    done: 'I have copied it',
    key: 'Key',
    created: 'Created',
    lastUsed: 'Last used',
    never: 'never',
  },
  ar: {
    title: 'مفاتيح API',
    about: 'يُظهر خادمك أحد هذه المفاتيح مع كل طلب. كل مفتاح يخص مساحة العمل هذه وحدها.',
    empty: 'لا يوجد مفتاح بعد. أنشئ واحدًا ليتمكن خادمك من إرسال أول رمز.',
    create: 'إنشاء مفتاح',
    name: 'الاسم',
    nameHint: 'ما ستعرفه به، مثل اسم الخادم الذي يحمله',
    onceTitle: 'مفتاحك الجديد',
    once: 'انسخه الآن. لا نحتفظ إلا ببصمته، ولا يمكن لأحد أن يعرضه مرة أخرى.',
    done: 'نسخته',
    key: 'المفتاح',
    created: 'أُنشئ',
    lastUsed: 'آخر استخدام',
    never: 'لم يُستخدم',
  },
})
