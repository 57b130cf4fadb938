// Tests how ownership of a site is proven: where the token is searched, and what does not count as proof.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../../model/failures.ts'
import type { FetchRequest, Page } from '../../model/page/page.ts'
import { proveOwnership } from './prove-ownership.ts'

interface Site {
  texts?: Record<string, string[]>
  files?: Record<string, string>
  redirects?: Record<string, string>
}

function at({ texts = {}, files = {}, redirects = {} }: Site) {
  const asked: string[] = []
  const fetch = async ({ url, beforeHop }: FetchRequest): Promise<Page> => {
    asked.push(url)
    const to = redirects[url]
    if (to) await beforeHop?.({ from: url, to, status: 302 }, 0, 0)
    const body = files[to ?? url]
    if (body === undefined) throw new Failure('connect.refused', 'nobody there')
    return { status: 200, body: Buffer.from(body) } as Page
  }
  const lookUpTexts = async (name: string) => texts[name] ?? []
  return { asked, prove: (host: string) => proveOwnership({ fetch, lookUpTexts }, host, 'T0K') }
}

const file = (origin: string) => `${origin}/.well-known/kscrape-do-not-crawl.txt`

test('a TXT record proves ownership, and no page of the site is requested', async () => {
  const here = at({ texts: { '_kscrape.shop.example': ['v=spf1', 'kscrape-do-not-crawl=T0K'] } })
  assert.equal((await here.prove('shop.example:8080')).by, 'dns')
  assert.deepEqual(here.asked, [])
})

test('a file proves ownership, over https or over http', async () => {
  for (const scheme of ['https', 'http']) {
    const here = at({
      files: { [file(`${scheme}://shop.example`)]: '# by us\r\nkscrape-do-not-crawl=T0K\r\n' },
    })
    assert.equal((await here.prove('shop.example')).by, 'well-known')
  }
})

test('another token, a part of the token, or a page that only repeats the URL proves nothing', async () => {
  for (const text of [
    'kscrape-do-not-crawl=other',
    'T0K',
    'xkscrape-do-not-crawl=T0K',
    'kscrape-do-not-crawl=T0K2',
  ]) {
    const url = file('https://shop.example')
    const here = at({ files: { [url]: text }, texts: { '_kscrape.shop.example': [text] } })
    const { by, looked } = await here.prove('shop.example')
    assert.equal(by, null, text)
    assert.equal(looked.length, 3)
  }
})

test('a redirect to another host does not prove ownership', async () => {
  const [url, to] = [file('https://shop.example'), file('https://evil.example')]
  const here = at({ redirects: { [url]: to }, files: { [to]: 'kscrape-do-not-crawl=T0K' } })
  const { by, looked } = await here.prove('shop.example')
  assert.equal(by, null)
  assert.match(looked.join('\n'), /redirects to evil\.example/)
})

test('a DNS failure is reported, and the file on the site is still checked', async () => {
  const url = file('https://shop.example')
  const fetch = async () => ({ status: 200, body: Buffer.from('kscrape-do-not-crawl=T0K') }) as Page
  const lookUpTexts = async () => Promise.reject(new Error('timed out'))
  const { by, looked } = await proveOwnership({ fetch, lookUpTexts }, 'shop.example', 'T0K')
  assert.equal(by, 'well-known')
  assert.match(looked.join('\n'), new RegExp(`did not answer.*\n${url}`))
})
