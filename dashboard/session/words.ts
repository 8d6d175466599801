import { words } from '../words.ts'

export const sessionWords = words({
  en: {
    signIn: 'Sign in',
    email: 'E-mail address',
    password: 'Password',
    showPassword: 'Show what is typed',
    name: 'Your name',
    forgotten: 'Forgotten it? Whoever runs this instance can make you a link for a new one.',
    noAccount: 'No account yet? The link for the first one is printed when Doorcode starts; everybody else is invited.',
    totp: 'Code of your authenticator app',
    totpAbout: 'Your account has a second factor. Open your authenticator app and type the six digits that it shows.',
    backup: 'Backup code',
    backupAbout: 'Type one of the backup codes that you kept. Each works once.',
    useBackup: 'Use a backup code instead',
    useTotp: 'Use the authenticator app instead',
    beginAgain: 'Begin again with the password',
    refusals: {
      wrong: 'The e-mail address or the password is wrong.',
      wrongPassword: 'The password is wrong.',
      tooShort: 'The new password must have at least 12 characters.',
      tooLong: 'The new password must have at most 128 characters.',
      wrongCode: 'The code is wrong. An app’s code is good for half a minute: look at the clock of your phone.',
      tooLate: 'This took too long or too many attempts. Begin again with the password.',
      unreachable: 'Doorcode does not answer. Look whether it runs, then try again.',
      signedOut: 'You are not signed in any more. Sign in again.',
      other: 'That did not work. Load the page anew and try once more.',
      wait: (minutes: number) =>
        minutes <= 1
          ? 'There were too many attempts. Try again in a minute.'
          : `There were too many attempts. Try again in ${minutes} minutes.`,
    },
    welcome: 'Welcome to Doorcode',
    setup: 'You are the first one here. Make your account, and this instance is yours.',
    invited: (email: string, workspace: string) => `${email} is invited to the workspace “${workspace}”.`,
    roles: {
      owner: 'As an owner you manage its people and allowances, and everything else.',
      admin: 'As an admin you see and change everything but its people and allowances.',
      member: 'As a member you see everything and change nothing.',
    },
    passwordHint: 'At least 12 characters',
    begin: 'Make my account',
    join: 'Join the workspace',
    signInToJoin: 'You have an account here already. Sign in, and the workspace is added to it.',
    signedInAs: (now: string, invited: string) =>
      `You are signed in as ${now}, and the invitation is for ${invited}. Sign out first, then sign in with that address.`,
    signOutHere: 'Sign out',
    newPasswordTitle: 'A new password',
    newPassword: 'Choose a new password for your account. Wherever you were signed in, you will be signed out.',
    setPassword: 'Set the password and sign in',
    noToken: 'This page is where a one-time link leads. Open the whole link, with what follows the #.',
    toSignIn: 'To the sign-in page',
  },
  ar: {
    signIn: 'تسجيل الدخول',
    email: 'البريد الإلكتروني',
    password: 'كلمة المرور',
    showPassword: 'إظهار المكتوب',
    name: 'اسمك',
    forgotten: 'هل نسيتها؟ يستطيع من يدير هذه النسخة أن ينشئ لك رابطًا لكلمة مرور جديدة.',
    noAccount: 'ليس لديك حساب بعد؟ رابط الحساب الأول يُعرض عند بدء تشغيل Doorcode، ومن بعده ينضم الجميع بدعوة.',
    totp: 'رمز تطبيق المصادقة',
    totpAbout: 'حسابك محمي بعامل ثانٍ. افتح تطبيق المصادقة واكتب الأرقام الستة التي يعرضها.',
    backup: 'رمز احتياطي',
    backupAbout: 'اكتب أحد الرموز الاحتياطية التي احتفظت بها. كل رمز يُستخدم مرة واحدة.',
    useBackup: 'استخدم رمزًا احتياطيًا بدلًا من ذلك',
    useTotp: 'استخدم تطبيق المصادقة بدلًا من ذلك',
    beginAgain: 'ابدأ من جديد بكلمة المرور',
    refusals: {
      wrong: 'البريد الإلكتروني أو كلمة المرور غير صحيحة.',
      wrongPassword: 'كلمة المرور غير صحيحة.',
      tooShort: 'يجب أن تتكون كلمة المرور الجديدة من 12 حرفًا على الأقل.',
      tooLong: 'يجب ألا تزيد كلمة المرور الجديدة على 128 حرفًا.',
      wrongCode: 'الرمز غير صحيح. رمز التطبيق صالح نصف دقيقة: تحقق من ساعة هاتفك.',
      tooLate: 'استغرق الأمر وقتًا طويلًا أو محاولات كثيرة. ابدأ من جديد بكلمة المرور.',
      unreachable: 'لا يستجيب Doorcode. تأكد من أنه يعمل ثم حاول مجددًا.',
      signedOut: 'انتهت جلستك. سجّل الدخول من جديد.',
      other: 'لم ينجح ذلك. أعد تحميل الصفحة وحاول مرة أخرى.',
      wait: (minutes: number) =>
        minutes <= 1
          ? 'المحاولات كثيرة. حاول مجددًا بعد دقيقة.'
          : minutes === 2
            ? 'المحاولات كثيرة. حاول مجددًا بعد دقيقتين.'
            : `المحاولات كثيرة. حاول مجددًا بعد ${minutes} ${minutes <= 10 ? 'دقائق' : 'دقيقة'}.`,
    },
    welcome: 'مرحبًا بك في Doorcode',
    setup: 'أنت أول من يصل. أنشئ حسابك لتصبح هذه النسخة لك.',
    invited: (email: string, workspace: string) =>
      `دُعي \u2068${email}\u2069 إلى مساحة العمل «\u2068${workspace}\u2069».`,
    roles: {
      owner: 'بصفتك مالكًا تدير أشخاصها وحصصها وكل ما سوى ذلك.',
      admin: 'بصفتك مشرفًا ترى كل شيء وتغيّره ما عدا الأشخاص والحصص.',
      member: 'بصفتك عضوًا ترى كل شيء ولا تغيّر شيئًا.',
    },
    passwordHint: '12 حرفًا على الأقل',
    begin: 'إنشاء حسابي',
    join: 'الانضمام إلى مساحة العمل',
    signInToJoin: 'لديك حساب هنا بالفعل. سجّل الدخول لتُضاف إليه مساحة العمل.',
    signedInAs: (now: string, invited: string) =>
      `أنت مسجّل الدخول باسم \u2068${now}\u2069، والدعوة موجهة إلى \u2068${invited}\u2069. سجّل الخروج أولًا ثم ادخل بذلك العنوان.`,
    signOutHere: 'تسجيل الخروج',
    newPasswordTitle: 'كلمة مرور جديدة',
    newPassword: 'اختر كلمة مرور جديدة لحسابك. ستنتهي جلساتك أينما كنت مسجّل الدخول.',
    setPassword: 'حفظ كلمة المرور والدخول',
    noToken: 'تقود إلى هذه الصفحة روابط تُستخدم مرة واحدة. افتح الرابط كاملًا مع ما يلي علامة #.',
    toSignIn: 'إلى صفحة تسجيل الدخول',
  },
})
