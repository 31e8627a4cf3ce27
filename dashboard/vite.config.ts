import { defineConfig } from 'vite'

/** The build of the dashboard. Each asset is a file of its own, because CSP forbids inline ones. */
export default defineConfig({
  base: '/',
  build: {
    target: ['chrome125', 'firefox126', 'safari17.5'],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    sourcemap: false,
  },
})
