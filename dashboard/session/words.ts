import { words } from '../words.ts'

export const sessionWords = words({
  en: {
    signIn: 'Sign in',
    email: 'E-mail address',
    password: 'Password',
    name: 'Your name',
    wrong: 'The e-mail address or the password is wrong.',
    welcome: 'Welcome to Doorcode',
    setup: 'You are the first one here. Make your account, and this instance is yours.',
    passwordHint: 'At least 12 characters',
    begin: 'Make my account',
    noToken: 'This page is where a one-time link leads. Open the whole link, with what follows the #.',
  },
  ar: {
    signIn: 'تسجيل الدخول',
    email: 'البريد الإلكتروني',
    password: 'كلمة المرور',
    name: 'اسمك',
    wrong: 'البريد الإلكتروني أو كلمة المرور غير صحيحة.',
    welcome: 'مرحبًا بك في Doorcode',
    setup: 'أنت أول من يصل. أنشئ حسابك لتصبح هذه النسخة لك.',
    passwordHint: '12 حرفًا على الأقل',
    begin: 'إنشاء حسابي',
    noToken: 'تقود إلى هذه الصفحة روابط تُستخدم مرة واحدة. افتح الرابط كاملًا مع ما يلي علامة #.',
  },
})
