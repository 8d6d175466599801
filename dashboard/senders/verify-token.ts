const BYTES = 24

/** Unguessable, in letters and digits only. */
export const createVerifyToken = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(BYTES)), (byte) => byte.toString(16).padStart(2, '0')).join('')
