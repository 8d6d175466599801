import type { FastifyRequest } from 'fastify'
import { LANGUAGES, type Language } from '../sentences.ts'

/** The language of the page that asks, which says it itself. Whatever else comes asks for none that we speak. */
export const pageLanguage = ({ headers }: Pick<FastifyRequest, 'headers'>): Language =>
  LANGUAGES.find((language) => language === headers['accept-language']) ?? 'en'
