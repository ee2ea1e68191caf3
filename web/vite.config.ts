import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'vitest/config'

/** The server that `npm run dev` hands /api to. */
const server = process.env.CONFIDANT_SERVER ?? 'http://127.0.0.1:8420'

export default defineConfig({
  plugins: [svelte()],
  // Relative, so that the page also works behind a path prefix.
  base: './',
  build: {
    outDir: '../assets/web',
    emptyOutDir: true,
    target: 'es2022',
    // The page's policy allows no data: for scripts and styles; nothing is inlined.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: {
    proxy: { '/api': { target: server, changeOrigin: false } },
  },
  test: {
    include: ['src/**/*.test.ts'],
    environment: 'node',
  },
})
