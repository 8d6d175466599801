import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** The emulator's own page; src/control/pages.ts builds and serves it. */
export default defineConfig({
  base: '/phone/',
  plugins: [react()],
  build: { assetsInlineLimit: 0 },
})
