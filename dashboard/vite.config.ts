// How the dashboard is built: one page and its parts, and the script of the frame in which elements are picked.
import { join } from 'node:path'
import { defineConfig } from 'vite'

const root = import.meta.dirname

export default defineConfig({
  root,
  base: '/',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: join(root, '../dist/dashboard'),
    emptyOutDir: true,
    target: 'es2022',
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // Everything is a file of its own: the page's policy lets nothing run or load that is written into it.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rollupOptions: {
      input: { index: join(root, 'index.html'), picker: join(root, 'src/picker/frame.ts') },
      output: {
        // The server puts it into a page of its own, so it has to find it.
        entryFileNames: ({ name }) => (name === 'picker' ? 'picker.js' : 'assets/[name]-[hash].js'),
      },
    },
  },
  // `npm run dashboard` beside a service on its usual port.
  server: { port: 5173, proxy: proxied() },
})

function proxied(): Record<string, string> {
  const service = 'http://127.0.0.1:8001'
  const paths = ['jobs', 'events', 'previews', 'schedules', 'webhooks', 'hosts', 'do-not-crawl', 'keys', 'me']
  const all = [
    ...paths,
    'workers',
    'settings',
    'plan',
    'monitors',
    'picker',
    'health',
    'uploads',
    'activity',
    'search',
    'proxies',
    'sessions',
    'scrapers',
  ]
  return Object.fromEntries(all.map(path => [`/${path}`, service]))
}
