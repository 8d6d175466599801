/** A number of the emulator's ordinary customers (presets.ts), which receives codes. */
export const SANDBOX_PHONE = '+212661002001'
