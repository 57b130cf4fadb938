// How the dashboard is built: one page and its parts, and the script of the frame in which elements are picked.
import { join } from 'node:path'
import scalar from '@scalar/fastify-api-reference'
import fastify from 'fastify'
import { defineConfig, type Plugin } from 'vite'

const root = import.meta.dirname

/** Copies the script of the page that shows the API at `/docs`. The package has it only behind its Fastify plugin. */
const copyScalar: Plugin = {
  name: 'copy-scalar',
  apply: 'build',
  async generateBundle() {
    const app = fastify()
    await app.register(scalar, { routePrefix: '/docs', configuration: { url: '/openapi.json' } })
    const { body } = await app.inject('/docs/js/scalar.js')
    this.emitFile({ type: 'asset', fileName: 'scalar.js', source: body })
  },
}

export default defineConfig({
  root,
  plugins: [copyScalar],
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
