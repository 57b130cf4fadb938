// The dashboard at `/`: prebuilt files, with a Content-Security-Policy that allows no other files.
import { join } from 'node:path'
import { Failure } from '../../model/failures.ts'
import type { App } from '../app.ts'
import { type BuiltFiles, forever, openPage, sendFile, sendNotBuilt } from '../built-files.ts'
import { pickerPage, pickerPolicy } from './dashboard-pages.ts'

/** Trusted Types disable all APIs that turn text into script, so that markup of a page can never run. */
const policy = [
  `default-src 'none'`,
  `script-src 'self'`,
  `style-src 'self'`,
  `img-src 'self' blob:`,
  `connect-src 'self'`,
  `frame-src 'self'`,
  `form-action 'none'`,
  `base-uri 'none'`,
  `frame-ancestors 'none'`,
  `require-trusted-types-for 'script'`,
  `trusted-types 'none'`,
].join('; ')

export function addDashboard(app: App, files: BuiltFiles): void {
  app.get('/', openPage, async (request, reply) => {
    const page = await files.file('index.html')
    if (!page) return sendNotBuilt(reply, 'dashboard')
    return sendFile(request, reply.header('content-security-policy', policy), page, 'no-cache')
  })
  app.get('/assets/:name', openPage, async (request, reply) => {
    const { name } = request.params as { name: string }
    const file = /^[\w.-]+$/.test(name) ? await files.file(join('assets', name)) : null
    if (!file)
      throw new Failure(
        'route.unknown',
        `there is no file /assets/${name.slice(0, 200)}; the dashboard is at /`,
      )
    return sendFile(request, reply, file, forever)
  })
  app.get('/picker', openPage, async (_request, reply) => {
    const script = await files.file('picker.js')
    if (!script) return sendNotBuilt(reply, 'dashboard')
    const text = script.bytes.toString().trim()
    return reply
      .header('content-security-policy', pickerPolicy(text))
      .header('x-frame-options', 'SAMEORIGIN')
      .header('cache-control', 'no-cache')
      .type('text/html; charset=utf-8')
      .send(pickerPage(text))
  })
}
