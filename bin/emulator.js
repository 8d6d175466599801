#!/usr/bin/env node
await import('@doorcode/whatsapp-emulator/main.ts')
