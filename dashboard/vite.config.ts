import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** Built and served under /dashboard/ by src/admin/pages/pages.ts, which names the folder of the build. */
export default defineConfig({
  base: '/dashboard/',
  plugins: [react()],
  build: { assetsInlineLimit: 0, chunkSizeWarningLimit: 1_000 },
  // `npm run dashboard`: the pages from here, their calls to a Doorcode that runs separately.
  server: {
    proxy: Object.fromEntries(
      ['auth', 'calls', 'live', 'emulator'].map((part) => [`/dashboard/${part}`, 'http://127.0.0.1:3000']),
    ),
  },
})
