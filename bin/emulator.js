#!/usr/bin/env node
await import('../emulator/main.ts')
