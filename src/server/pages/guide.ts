// The guide at `/guide`: the pages of docs/, built as a website. Its Content-Security-Policy allows nothing from other hosts.
import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import { Failure } from '../../model/failures.ts'
import type { App } from '../app.ts'
import { type BuiltFiles, forever, openPage, sendFile, sendNotBuilt } from '../built-files.ts'

const base = '/guide/'

export function addGuide(app: App, files: BuiltFiles): void {
  const policies = new Map<string, string>()
  const policyOf = (etag: string, page: string): string => {
    const policy = policies.get(etag) ?? guidePolicy(page)
    policies.set(etag, policy)
    return policy
  }
  // Without the trailing slash, the scripts of the guide do not find their page.
  app.get('/guide', openPage, (request, reply) =>
    request.url.split('?')[0] === '/guide' ? reply.redirect(base, 308) : show('', request, reply),
  )
  app.get('/guide/*', openPage, (request, reply) =>
    show((request.params as { '*': string })['*'], request, reply),
  )

  const show: Show = async (path, request, reply) => {
    let file: Awaited<ReturnType<BuiltFiles['file']>> = null
    for (const name of namesOf(path)) file ??= await files.file(name)
    if (!file && !(await files.file('index.html'))) return sendNotBuilt(reply, 'guide')
    if (!file)
      throw new Failure(
        'route.unknown',
        `the guide has no page ${base}${path.slice(0, 200)}; ${base} is its index`,
      )
    const isPage = file.type.startsWith('text/html')
    if (isPage) reply.header('content-security-policy', policyOf(file.etag, file.bytes.toString()))
    return sendFile(request, reply, file, path.startsWith('assets/') ? forever : 'no-cache')
  }
}

type Show = (
  path: string,
  request: Parameters<typeof sendFile>[0],
  reply: Parameters<typeof sendFile>[1],
) => Promise<unknown>

/** File names to try for a path: `cli` and `cli.html` are the same page, and `runbooks` may be a folder with an index. Empty
 *  for a path outside the folder. */
function namesOf(path: string): string[] {
  const name = posix.normalize(path || 'index.html').replace(/\/$/, '')
  if (name.startsWith('..') || posix.isAbsolute(name) || name.includes('\0')) return []
  return posix.extname(name) === '' ? [`${name}.html`, `${name}/index.html`] : [name]
}

/** The Content-Security-Policy of a page. Its inline scripts are allowed by hash. Syntax colors are style attributes. */
function guidePolicy(page: string): string {
  const scripts = [...page.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g)]
  const hashes = scripts.map(([, text]) => `'sha256-${createHash('sha256').update(text!).digest('base64')}'`)
  return [
    `default-src 'none'`,
    `script-src ${["'self'", ...new Set(hashes)].join(' ')}`,
    `style-src 'self' 'unsafe-inline'`,
    `img-src 'self' data:`,
    `font-src 'self'`,
    `connect-src 'self'`,
    `form-action 'none'`,
    `base-uri 'none'`,
    `frame-ancestors 'none'`,
  ].join('; ')
}
