import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** The twin's own page; emulator/phone-page.ts builds and serves it. */
export default defineConfig({
  base: '/phone/',
  plugins: [react()],
  build: { assetsInlineLimit: 0 },
})
