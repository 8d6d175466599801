/** The goods, customers and words of the shop whose month is simulated: a shop of Casablanca that sells to all of Morocco. */

export const LANGUAGES = ['ar', 'fr', 'en'] as const
export type ShopLanguage = (typeof LANGUAGES)[number]

/** Of ten customers, as many as the shop has of each. */
export const LANGUAGE_OF_TEN: readonly ShopLanguage[] = ['ar', 'fr', 'ar', 'fr', 'ar', 'fr', 'ar', 'fr', 'ar', 'en']

export const FIRST_NAMES: Record<ShopLanguage, readonly string[]> = {
  ar: [
    'فاطمة الزهراء',
    'محمد',
    'خديجة',
    'يوسف',
    'زينب',
    'عبد الرحيم',
    'سلمى',
    'إدريس',
    'نادية',
    'حمزة',
    'مريم',
    'رشيد',
  ],
  fr: ['Salma', 'Mehdi', 'Imane', 'Yassine', 'Ghita', 'Othmane', 'Hajar', 'Reda', 'Kenza', 'Soufiane', 'Laila', 'Anas'],
  en: ['Amina', 'Omar', 'Sara', 'Adam', 'Yasmine', 'Ilyas', 'Nora', 'Sami'],
}

type Product = Record<ShopLanguage, string> & { dirhams: number }

export const PRODUCTS: readonly Product[] = [
  { ar: 'قفطان مطرز', fr: 'Caftan brodé', en: 'Embroidered kaftan', dirhams: 1_249 },
  { ar: 'بلغة جلدية', fr: 'Babouches en cuir', en: 'Leather slippers', dirhams: 189 },
  { ar: 'زيت الأركان', fr: 'Huile d’argan', en: 'Argan oil', dirhams: 149 },
  { ar: 'طاجين فخاري', fr: 'Tajine en terre cuite', en: 'Clay tagine', dirhams: 229 },
  { ar: 'صينية شاي', fr: 'Plateau à thé', en: 'Tea tray', dirhams: 319 },
  { ar: 'جلابة صوفية', fr: 'Djellaba en laine', en: 'Wool djellaba', dirhams: 649 },
  { ar: 'سجادة أمازيغية', fr: 'Tapis amazigh', en: 'Amazigh rug', dirhams: 1_890 },
  { ar: 'سماعات لاسلكية', fr: 'Écouteurs sans fil', en: 'Wireless earbuds', dirhams: 299 },
  { ar: 'خلاط كهربائي', fr: 'Mixeur', en: 'Blender', dirhams: 459 },
  { ar: 'تمور المجهول', fr: 'Dattes Mejhoul', en: 'Medjool dates', dirhams: 129 },
]

/** Keeps a price on one line. A parameter of a template may not contain several spaces in a row. */
const NO_BREAK_SPACE = '\u00a0'

/** As each language writes a price. */
export const priceIn: Record<ShopLanguage, (dirhams: number) => string> = {
  ar: (dirhams) => `${dirhams}${NO_BREAK_SPACE}درهم`,
  fr: (dirhams) => `${dirhams.toLocaleString('fr').replace(/\s/g, NO_BREAK_SPACE)}${NO_BREAK_SPACE}MAD`,
  en: (dirhams) => `${dirhams.toLocaleString('en')}${NO_BREAK_SPACE}MAD`,
}

/** What customers write when their reason is none of the list. */
export const NOTES: Record<ShopLanguage, readonly string[]> = {
  ar: ['لقيت نفس المنتج بثمن أقل', 'السائق ما عيطش ليا', 'المقاس غلط'],
  fr: ['Le livreur n’a pas appelé', 'Ma sœur l’avait déjà commandé', 'La taille ne va pas'],
  en: ['My neighbour bought me the same one', 'The driver never called'],
}
