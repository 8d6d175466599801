/** Starting texts by language; all countries of a language share them. */
export type QuestionStart = { body: string; samples: Readonly<Record<string, string>>; buttons: readonly string[] }
type Starts = { confirmation: QuestionStart; refusal: QuestionStart }

const order = (customer: string, amount: string): Record<string, string> => ({ customer, order: 'A-1001', amount })
const parcel = (customer: string): Record<string, string> => ({ customer, order: 'A-1001' })

const english: Starts = {
  confirmation: {
    body: 'Hello {{customer}}, please confirm your order {{order}} of {{amount}}, to be paid on delivery.',
    samples: order('Sara', '250 MAD'),
    buttons: ['Confirm', 'Cancel', 'Change time'],
  },
  refusal: {
    body: 'Hello {{customer}}, our driver reported that you refused the parcel for your order {{order}}. Is that right?',
    samples: parcel('Sara'),
    buttons: ['Yes, I refused it', 'No, I did not'],
  },
}

const STARTS: Readonly<Record<string, Starts>> = {
  en: english,
  ar: {
    confirmation: {
      body: 'مرحبًا {{customer}}، يرجى تأكيد طلبك رقم {{order}} بقيمة {{amount}} والدفع عند الاستلام.',
      samples: order('سارة', '250 درهمًا'),
      buttons: ['تأكيد', 'إلغاء', 'تغيير الموعد'],
    },
    refusal: {
      body: 'مرحبًا {{customer}}، أبلغنا المندوب أنك رفضت استلام طلبك رقم {{order}}. هل هذا صحيح؟',
      samples: parcel('سارة'),
      buttons: ['نعم، رفضته', 'لا، لم أرفضه'],
    },
  },
  fr: {
    confirmation: {
      body: 'Bonjour {{customer}}, merci de confirmer votre commande {{order}} de {{amount}}, à régler à la livraison.',
      samples: order('Sara', '250 MAD'),
      buttons: ['Confirmer', 'Annuler', 'Changer la date'],
    },
    refusal: {
      body: 'Bonjour {{customer}}, notre livreur a signalé que vous avez refusé le colis de la commande {{order}}. Est-ce exact ?',
      samples: parcel('Sara'),
      buttons: ['Oui, je l’ai refusé', 'Non'],
    },
  },
  ur: {
    confirmation: {
      body: 'السلام علیکم {{customer}}، براہِ کرم اپنے آرڈر {{order}} کی تصدیق کریں جس کی رقم {{amount}} ڈیلیوری پر ادا کرنی ہے۔',
      samples: order('سارہ', '2500 روپے'),
      buttons: ['تصدیق', 'منسوخ', 'وقت تبدیل کریں'],
    },
    refusal: {
      body: 'السلام علیکم {{customer}}، ہمارے رائیڈر نے بتایا کہ آپ نے آرڈر {{order}} کا پارسل لینے سے انکار کیا۔ کیا یہ درست ہے؟',
      samples: parcel('سارہ'),
      buttons: ['جی ہاں، انکار کیا', 'نہیں'],
    },
  },
  es: {
    confirmation: {
      body: 'Hola {{customer}}, confirme por favor su pedido {{order}} de {{amount}}, que se paga al recibirlo.',
      samples: order('Sara', '25 EUR'),
      buttons: ['Confirmar', 'Cancelar', 'Cambiar la hora'],
    },
    refusal: {
      body: 'Hola {{customer}}, el repartidor anotó que usted rechazó el paquete del pedido {{order}}. ¿Es correcto?',
      samples: parcel('Sara'),
      buttons: ['Sí, lo rechacé', 'No'],
    },
  },
  pt: {
    confirmation: {
      body: 'Olá {{customer}}, confirme por favor o seu pedido {{order}} de {{amount}}, a pagar na entrega.',
      samples: order('Sara', 'R$ 120'),
      buttons: ['Confirmar', 'Cancelar', 'Mudar o horário'],
    },
    refusal: {
      body: 'Olá {{customer}}, o entregador anotou que você recusou a encomenda do pedido {{order}}. Isso está certo?',
      samples: parcel('Sara'),
      buttons: ['Sim, recusei', 'Não'],
    },
  },
  tr: {
    confirmation: {
      body: 'Merhaba {{customer}}, kapıda ödenecek {{amount}} tutarındaki {{order}} numaralı siparişinizi lütfen onaylayın.',
      samples: order('Sara', '900 TL'),
      buttons: ['Onayla', 'İptal et', 'Saati değiştir'],
    },
    refusal: {
      body: 'Merhaba {{customer}}, kuryemiz {{order}} numaralı siparişinizin kargosunu reddettiğinizi bildirdi. Bu doğru mu?',
      samples: parcel('Sara'),
      buttons: ['Evet, reddettim', 'Hayır'],
    },
  },
  id: {
    confirmation: {
      body: 'Halo {{customer}}, mohon konfirmasi pesanan {{order}} senilai {{amount}} yang dibayar saat barang tiba.',
      samples: order('Sara', 'Rp250.000'),
      buttons: ['Konfirmasi', 'Batalkan', 'Ubah waktu'],
    },
    refusal: {
      body: 'Halo {{customer}}, kurir kami mencatat bahwa Anda menolak paket pesanan {{order}}. Apakah itu benar?',
      samples: parcel('Sara'),
      buttons: ['Ya, saya menolak', 'Tidak'],
    },
  },
}

/** Returns undefined if there are none in this language. */
export const startsIn = (language: string): Starts | undefined => STARTS[language.split('_')[0] ?? '']

export const STARTS_IN_ENGLISH = english

/** Similar to the text that WhatsApp writes into templates of one-time codes. */
type CodeTexts = { body: string; advice: string; expiry: (minutes: number) => string; copy: string }

const CODE_TEXTS: Readonly<Record<string, CodeTexts>> = {
  en: {
    body: '*123456* is your verification code.',
    advice: 'For your security, do not share this code.',
    expiry: (minutes) => `This code expires in ${minutes} minutes.`,
    copy: 'Copy code',
  },
  ar: {
    body: 'رمز التحقق الخاص بك هو *123456*.',
    advice: 'حفاظًا على أمانك، لا تشارك هذا الرمز مع أحد.',
    expiry: (minutes) => `تنتهي صلاحية هذا الرمز خلال ${minutes} من الدقائق.`,
    copy: 'نسخ الرمز',
  },
  fr: {
    body: '*123456* est votre code de vérification.',
    advice: 'Pour votre sécurité, ne communiquez ce code à personne.',
    expiry: (minutes) => `Ce code expire dans ${minutes} minutes.`,
    copy: 'Copier le code',
  },
  ur: {
    body: '*123456* آپ کا تصدیقی کوڈ ہے۔',
    advice: 'اپنی حفاظت کے لیے یہ کوڈ کسی کو نہ بتائیں۔',
    expiry: (minutes) => `یہ کوڈ ${minutes} منٹ میں ختم ہو جائے گا۔`,
    copy: 'کوڈ کاپی کریں',
  },
  es: {
    body: '*123456* es su código de verificación.',
    advice: 'Por su seguridad, no comparta este código.',
    expiry: (minutes) => `Este código caduca en ${minutes} minutos.`,
    copy: 'Copiar código',
  },
}

export const codeTextsIn = (language: string): CodeTexts =>
  CODE_TEXTS[language.split('_')[0] ?? ''] ?? (CODE_TEXTS['en'] as CodeTexts)

export const hasCodeTexts = (language: string): boolean => Object.hasOwn(CODE_TEXTS, language.split('_')[0] ?? '')
