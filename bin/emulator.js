#!/usr/bin/env node
// Doorcode looks for the emulator at this port.
if (process.env.DOORCODE_EMULATOR_PORT) process.env.WHATSAPP_EMULATOR_PORT ||= process.env.DOORCODE_EMULATOR_PORT
await import('@doorcode/whatsapp-emulator/main.ts')
