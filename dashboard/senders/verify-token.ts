const BYTES = 24

/** Nobody can guess it, and it is one word of letters and digits. */
export const madeVerifyToken = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(BYTES)), (byte) => byte.toString(16).padStart(2, '0')).join('')
