// Promise: a preview of a page reaches no internal address, belongs to its workspace, and needs a limited amount of work.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { pickerPolicy } from '../../src/server/pages/dashboard-pages.ts'
import { html, ListeningSite, redirectTo, type Served } from '../support/listening-site.ts'
import { TestService } from '../support/service.ts'

const sheet =
  (css: string): Served =>
  response => {
    response.writeHead(200, { 'content-type': 'text/css' })
    response.end(css)
  }

interface Look {
  html: string
  styles: string[]
  images: unknown[]
  missing: number
}

describe('previews of hostile pages', () => {
  let site: ListeningSite
  let internal: ListeningSite
  let service: TestService
  let alpha: string
  let beta: string
  let reader: string

  before(async () => {
    site = await ListeningSite.open()
    internal = await ListeningSite.open({ '/': html('internal') })
    service = await TestService.open({ settings: { allowPrivate: [site.place], rate: 'unlimited' } })
    alpha = await service.key({ workspace: 'alpha' })
    beta = await service.key({ workspace: 'beta' })
    reader = await service.key({ workspace: 'alpha', scopes: ['read'] })
  })
  after(async () => {
    await service?.[Symbol.asyncDispose]()
    await internal?.[Symbol.asyncDispose]()
    await site?.[Symbol.asyncDispose]()
  })

  async function preview(path: string): Promise<string> {
    const answer = await service.ask('/previews', { key: alpha, body: { url: site.url + path } })
    assert.equal(answer.status, 200, answer.text)
    return answer.body.preview_id as string
  }

  async function lookAt(path: string): Promise<Look> {
    const answer = await service.ask<Look>(`/previews/${await preview(path)}/look`, { key: alpha })
    assert.equal(answer.status, 200, answer.text)
    return answer.body
  }

  test('files of a page are never fetched from an internal address, in whatever way the page refers to them', async () => {
    const at = (name: string) => `${internal.url}/${name}`
    const by = new URL(internal.url)
    const others = [
      `http://localhost:${by.port}/name`,
      `http://[::ffff:127.0.0.1]:${by.port}/mapped`,
      `http://2130706433:${by.port}/number`,
      `http://0177.0.0.1:${by.port}/octal`,
      `http://169.254.169.254/latest/meta-data/`,
    ]
    site.pages['/hop.css'] = redirectTo(at('redirect.css'))
    site.pages['/a.css'] = sheet(
      `@import "${at('import.css')}"; @import url(/hop.css); @font-face { src: url(${at('font.woff2')}) } b { background: url(//${internal.place}/back.png) }`,
    )
    const head = `<base href="${internal.url}/"><meta http-equiv=refresh content="0;url=${at('refresh')}">
      <link rel=stylesheet href="${site.url}/a.css"><link rel=stylesheet href="${at('link.css')}"><link rel=icon href=/icon.png>
      <link rel=preload as=style href="/preload.css" onload="this.rel='stylesheet'"><link rel=prefetch href=/prefetch>
      <style>@import '${at('inline.css')}'; i { background: image-set(url(${at('set.png')}) 1x) } u { cursor: url("file:///etc/passwd") }</style>`
    const body = `<img src=relative.png srcset="${at('srcset.png')} 2x"><img data-src=${at('lazy.png')}>
      <picture><source srcset=${at('source.png')}></picture><svg><image href=${at('svg.png')} /><use href="${at('use.svg')}#x"/></svg>
      <p style="background:url(${at('style.png')})">x</p><video poster=${at('poster.png')}></video><iframe src=${at('frame')}></iframe>
      <object data=${at('object')}></object><img src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'><image href='${at('data.png')}'/></svg>">
      ${others.map(url => `<img src="${url}"><i style="background:url('${url}')"></i>`).join('')}`
    site.pages['/hostile'] = html(body, head)
    const look = await lookAt('/hostile')
    assert.deepEqual(internal.paths, [])
    assert.deepEqual(look.images, [])
    assert.ok(look.missing > 10, `${look.missing}`)
    assert.ok(site.paths.includes('/a.css') && site.paths.includes('/hop.css'))
  })

  test('the markup of a preview contains no elements that run scripts or load documents', async () => {
    site.pages['/scripts'] = html(
      `<script>evil()</script><svg><script>evil()</script><style>@import "x"</style></svg><iframe srcdoc="<script>evil()</script>"></iframe>
      <math><mtext><style><img src=x></style></mtext></math><noscript><p title="</noscript><script>evil()</script>"></noscript>
      <template><script>evil()</script></template><object data=x></object><embed src=x><link rel=import href=x><!--><script>evil()</script>-->`,
      '<base href=//x.example><meta http-equiv=refresh content="0;url=javascript:evil()">',
    )
    const { html: markup } = await lookAt('/scripts')
    assert.doesNotMatch(markup, /<(?:script|iframe|object|embed|link|base|meta|template|style|noscript)\b/i)
  })

  test('handlers and javascript: URLs that remain in the markup of a preview cannot run or send anything', () => {
    const policy = pickerPolicy('picker()')
    assert.match(policy, /default-src 'none'; script-src 'sha256-[\w+/=]+'; img-src data:; font-src data:;/)
    assert.match(policy, /sandbox allow-scripts$/)
    assert.doesNotMatch(policy, /unsafe-inline|unsafe-eval|unsafe-hashes|allow-same-origin|allow-top|\*/)
  })

  test('a preview belongs to its workspace and needs a key that may submit', async () => {
    site.pages['/own'] = html('<p>alpha-4711</p>')
    const id = await preview('/own')
    const asks = [
      ['/look', undefined],
      ['/extract', { extract: { fields: { all: 'body' } } }],
      ['/pick', { node: 1, mode: 'one', fields: [] }],
      ['/describe', { prompt: 'all text' }],
    ] as const
    for (const [what, body] of asks)
      for (const [key, status] of [
        [beta, 404],
        [reader, 403],
        [null, 401],
      ] as const)
        for (const name of [id, `${id.split('~')[0]}~alpha`, encodeURIComponent(`${id}~alpha`)]) {
          const answer = await service.ask(`/previews/${name}${what}`, { key, ...(body && { body }) })
          const isRefused = answer.status === status || (key === beta && answer.status === 422)
          assert.ok(isRefused, `${what} ${name} ${answer.status} ${answer.text}`)
          assert.doesNotMatch(answer.text, /alpha-4711/)
        }
  })

  test('style sheets that import themselves repeatedly or are costly to parse are processed within limits', async () => {
    const image = Buffer.alloc(200_000, 'x')
    site.pages['/big.png'] = response => {
      response.writeHead(200, { 'content-type': 'image/png' })
      response.end(image)
    }
    site.pages['/self.css'] = sheet(`${'@import "self.css";'.repeat(200)}b{background:url(big.png)}`)
    site.pages['/open.css'] = sheet('url('.repeat(100_000) + '@import a '.repeat(50_000))
    const links = '<link rel=stylesheet href=/self.css><link rel=stylesheet href=/open.css>'
    site.pages['/bomb'] = html('<img src=/big.png>'.repeat(200), links.repeat(50))
    const look = await lookAt('/bomb')
    assert.ok(JSON.stringify(look).length < 45_000_000)
    assert.equal(site.paths.filter(path => path === '/self.css').length, 1)
    const variables = Array.from({ length: 6 }, (_, n) => `--v${n}:${`var(--v${n + 1}) `.repeat(100)}`)
    const css = `:root{${variables.join(';')}} body{color:var(--v0)} a{${'a'.repeat(400_000)}}`
    site.pages['/brand'] = html('<p>Words</p>', `<style>${css}</style>`)
    const body = { url: `${site.url}/brand`, formats: ['branding'] }
    const branded = await service.ask('/v2/scrape', { key: alpha, body })
    assert.equal(branded.status, 200, branded.text)
  })
})
