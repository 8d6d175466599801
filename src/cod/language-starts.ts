import type { LanguageSettings } from './settings.ts'

/** What a shop can begin with in a language, by the language alone: its countries begin with the same. */
export const languageStarts: Readonly<Record<string, LanguageSettings>> = {
  en: {
    texts: {
      dayQuestion: 'Which day suits you?',
      timeQuestion: 'At what time?',
      refusalReasonQuestion: 'Why did you refuse the parcel?',
      reasonsListButton: 'Choose a reason',
      otherLabel: 'Another reason',
      notePrompt: 'Please tell us in a few words.',
    },
    timeRanges: ['09:00–12:00', '12:00–17:00', '17:00–21:00'],
    refusalReasons: ['It came too late', 'It is not what I saw', 'It is damaged', 'I did not order it'],
    closingMessages: { confirmation: 'Thank you, we have noted it.', refusal: 'Thank you for telling us.' },
  },
  ar: {
    texts: {
      dayQuestion: 'أي يوم يناسبك؟',
      timeQuestion: 'في أي وقت؟',
      refusalReasonQuestion: 'لماذا رفضت استلام الطرد؟',
      reasonsListButton: 'اختر السبب',
      otherLabel: 'سبب آخر',
      notePrompt: 'أخبرنا بالسبب في بضع كلمات من فضلك.',
    },
    timeRanges: ['9 صباحًا – 12 ظهرًا', '12 ظهرًا – 5 مساءً', '5 – 9 مساءً'],
    refusalReasons: ['وصل متأخرًا', 'ليس كما في الصورة', 'وصل تالفًا', 'لم أطلبه'],
    closingMessages: { confirmation: 'شكرًا لك، سجلنا ذلك.', refusal: 'شكرًا لإخبارنا.' },
  },
  fr: {
    texts: {
      dayQuestion: 'Quel jour vous convient ?',
      timeQuestion: 'À quelle heure ?',
      refusalReasonQuestion: 'Pourquoi avez-vous refusé le colis ?',
      reasonsListButton: 'Choisir une raison',
      otherLabel: 'Autre raison',
      notePrompt: 'Dites-le-nous en quelques mots, s’il vous plaît.',
    },
    timeRanges: ['9 h – 12 h', '12 h – 17 h', '17 h – 21 h'],
    refusalReasons: ['Arrivé trop tard', 'Non conforme', 'Endommagé', 'Je ne l’ai pas commandé'],
    closingMessages: { confirmation: 'Merci, c’est noté.', refusal: 'Merci de nous l’avoir dit.' },
  },
  es: {
    texts: {
      dayQuestion: '¿Qué día le viene bien?',
      timeQuestion: '¿A qué hora?',
      refusalReasonQuestion: '¿Por qué rechazó el paquete?',
      reasonsListButton: 'Elegir un motivo',
      otherLabel: 'Otro motivo',
      notePrompt: 'Cuéntenos el motivo en pocas palabras, por favor.',
    },
    timeRanges: ['9:00–12:00', '12:00–17:00', '17:00–21:00'],
    refusalReasons: ['Llegó demasiado tarde', 'No es lo que pedí', 'Llegó dañado', 'No lo pedí yo'],
    closingMessages: { confirmation: 'Gracias, lo hemos anotado.', refusal: 'Gracias por avisarnos.' },
  },
  pt: {
    texts: {
      dayQuestion: 'Que dia é melhor para você?',
      timeQuestion: 'Em qual horário?',
      refusalReasonQuestion: 'Por que você recusou o pacote?',
      reasonsListButton: 'Escolher um motivo',
      otherLabel: 'Outro motivo',
      notePrompt: 'Conte o motivo em poucas palavras, por favor.',
    },
    timeRanges: ['9h–12h', '12h–17h', '17h–21h'],
    refusalReasons: ['Chegou tarde demais', 'Não é o que pedi', 'Chegou danificado', 'Não fui eu que pedi'],
    closingMessages: { confirmation: 'Obrigado, anotamos.', refusal: 'Obrigado por avisar.' },
  },
  tr: {
    texts: {
      dayQuestion: 'Hangi gün size uyar?',
      timeQuestion: 'Hangi saatte?',
      refusalReasonQuestion: 'Paketi neden kabul etmediniz?',
      reasonsListButton: 'Bir neden seçin',
      otherLabel: 'Başka bir neden',
      notePrompt: 'Lütfen nedeni birkaç kelimeyle yazın.',
    },
    timeRanges: ['09.00–12.00', '12.00–17.00', '17.00–21.00'],
    refusalReasons: ['Çok geç geldi', 'Beklediğim gibi değil', 'Hasarlı geldi', 'Ben sipariş etmedim'],
    closingMessages: { confirmation: 'Teşekkürler, not aldık.', refusal: 'Bildirdiğiniz için teşekkürler.' },
  },
  ur: {
    texts: {
      dayQuestion: 'آپ کے لیے کون سا دن مناسب ہے؟',
      timeQuestion: 'کس وقت؟',
      refusalReasonQuestion: 'آپ نے پارسل کیوں واپس کیا؟',
      reasonsListButton: 'وجہ چنیں',
      otherLabel: 'کوئی اور وجہ',
      notePrompt: 'براہ کرم چند الفاظ میں وجہ بتائیں۔',
    },
    timeRanges: ['9 سے 12 بجے', '12 سے 5 بجے', '5 سے 9 بجے'],
    refusalReasons: ['دیر سے آیا', 'تصویر جیسا نہیں تھا', 'خراب حالت میں تھا', 'میں نے آرڈر نہیں کیا'],
    closingMessages: { confirmation: 'شکریہ، ہم نے نوٹ کر لیا ہے۔', refusal: 'بتانے کا شکریہ۔' },
  },
  id: {
    texts: {
      dayQuestion: 'Hari apa yang cocok untuk Anda?',
      timeQuestion: 'Jam berapa?',
      refusalReasonQuestion: 'Mengapa Anda menolak paketnya?',
      reasonsListButton: 'Pilih alasan',
      otherLabel: 'Alasan lain',
      notePrompt: 'Mohon ceritakan alasannya secara singkat.',
    },
    timeRanges: ['09.00–12.00', '12.00–17.00', '17.00–21.00'],
    refusalReasons: ['Datang terlambat', 'Tidak sesuai gambar', 'Barang rusak', 'Saya tidak memesannya'],
    closingMessages: { confirmation: 'Terima kasih, sudah kami catat.', refusal: 'Terima kasih atas infonya.' },
  },
}
