import { isUuid } from '../ids.ts'
import { MONTHLY_UNITS_MOST } from '../workspaces/allowances.ts'
import { normalizePhone } from '../workspaces/phone.ts'
import { type Input, Misread } from './command.ts'

type Reader<Value> = Omit<Input<Value>, 'kind'>

/** Of a workspace or a key, in code points. */
const NAME_MOST = 100

export const name: Reader<string> = {
  placeholder: 'N',
  read(text) {
    const trimmed = text.trim()
    if (trimmed === '' || Array.from(trimmed).length > NAME_MOST || /\p{Cc}/u.test(trimmed)) {
      throw new Misread(`must be 1 to ${NAME_MOST} characters on one line`)
    }
    return trimmed
  },
}

export const uuid = (placeholder: string): Reader<string> => ({
  placeholder,
  read(text) {
    if (!isUuid(text)) throw new Misread(`must be a UUID, not "${text}"`)
    return text.toLowerCase()
  },
})

export const units: Reader<number> = {
  placeholder: 'N',
  read(text) {
    const value = Number(text)
    if (!/^\d+$/.test(text) || value > MONTHLY_UNITS_MOST) {
      throw new Misread(`must be a whole number from 0 to ${MONTHLY_UNITS_MOST}, not "${text}"`)
    }
    return value
  },
}

/** With its zone: what is 9 o'clock here is not so elsewhere. */
export const instant: Reader<Date> = {
  placeholder: 'ISO',
  read(text) {
    try {
      if (/^\d{4}-/.test(text)) return new Date(Temporal.Instant.from(text).epochMilliseconds)
    } catch {} // told below
    throw new Misread(`must be a time with its zone, such as 2026-12-01T09:00:00Z, not "${text}"`)
  },
}

export const oneOf = <Value extends string>(placeholder: string, values: readonly Value[]): Reader<Value> => ({
  placeholder,
  read(text) {
    const value = values.find((each) => each === text)
    if (value === undefined) throw new Misread(`must be one of ${values.join(', ')}, not "${text}"`)
    return value
  },
})

export const phone: Reader<string> = {
  placeholder: 'P',
  read(text) {
    const normalized = normalizePhone(text)
    if (!normalized)
      throw new Misread(`must be a phone number in international form, such as +212612345678, not "${text}"`)
    return normalized
  },
}

export const publicId: Reader<string> = {
  placeholder: 'ID',
  read(text) {
    if (!/^[a-z2-7]{12}$/.test(text))
      throw new Misread('must be the 12 characters between "dck_" and the next "_" of a key')
    return text
  },
}

export const email: Reader<string> = {
  placeholder: 'E',
  read(text) {
    if (!/^[^\s@]+@[^\s@]+$/.test(text)) throw new Misread(`must be an e-mail address, not "${text}"`)
    return text.toLowerCase()
  },
}

/** Never quoted: it may be a secret. */
export const filled = (placeholder: string): Reader<string> => ({
  placeholder,
  read(text) {
    if (text.trim() === '') throw new Misread('must not be empty')
    return text.trim()
  },
})

export const url: Reader<string> = {
  placeholder: 'URL',
  read(text) {
    if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) throw new Misread('must be a URL that begins with https://')
    return text
  },
}
