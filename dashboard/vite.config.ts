// Builds the dashboard: one page with its modules, and the script of the element picker's frame.
import { join } from 'node:path'
import scalar from '@scalar/fastify-api-reference'
import fastify from 'fastify'
import { defineConfig, type Plugin, type ProxyOptions } from 'vite'

const root = import.meta.dirname

/** Copies Scalar's script, which the page `/docs` uses to show the API. The package exports it only through its Fastify
 *  plugin. */
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

const service = `http://127.0.0.1:${process.env.PORT ?? 8001}`

/** Sends requests of the dashboard to the service with the service's own origin, because the service refuses foreign origins. */
const toService: ProxyOptions = {
  ...{ target: service, changeOrigin: true, ws: true },
  configure: proxy =>
    proxy.on('proxyReq', (passedOn, { headers }) => {
      if (headers.origin === `http://${headers.host}`) passedOn.setHeader('origin', service)
    }),
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
    // Every asset is a separate file, because the page's Content-Security-Policy allows nothing inline.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rollupOptions: {
      input: { index: join(root, 'index.html'), picker: join(root, 'src/picker/frame.ts') },
      output: {
        // The picker's script needs a fixed name, because the server puts it into a page of its own.
        entryFileNames: ({ name }) => (name === 'picker' ? 'picker.js' : 'assets/[name]-[hash].js'),
      },
    },
  },
  // `make dev`: requests for anything but the dashboard's sources are sent to the service.
  server: { port: 5173, proxy: { '^/(?!$|[?#@]|src/|node_modules/|index\\.html)': toService } },
})
