// How the dashboard is built: one page and its parts, and the script of the frame in which elements are picked.
import { join } from 'node:path'
import scalar from '@scalar/fastify-api-reference'
import fastify from 'fastify'
import { defineConfig, type Plugin, type ProxyOptions } from 'vite'

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

const service = `http://127.0.0.1:${process.env.PORT ?? 8001}`

/** The service refuses foreign origins. Only requests of the dashboard itself are passed on as the service's own. */
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
  // `make dev`: everything that is not part of the dashboard's source is asked of the service.
  server: { port: 5173, proxy: { '^/(?!$|[?#@]|src/|node_modules/|index\\.html)': toService } },
})
