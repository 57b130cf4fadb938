// Tests the detection of walls with golden responses: each wall is named with its evidence, and other pages are not walls.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseDocument } from '../document/index.ts'
import { type Answer, type Wall, wallFailure, wallOf } from './index.ts'

const golden = join(import.meta.dirname, '../../../test/golden')
const folder = join(golden, 'walls')

interface Facts {
  url?: string
  final_url?: string
  status?: number
  headers?: Record<string, string>
  vendor?: string
}

const facts = JSON.parse(readFileSync(join(folder, 'answers.json'), 'utf8')) as Record<string, Facts>

function answerOf(source: string, given: Facts = {}): Answer {
  const url = given.url ?? 'https://shop.example/page'
  return {
    url,
    finalUrl: given.final_url ?? url,
    status: given.status ?? 200,
    headers: Object.entries(given.headers ?? {}),
    source,
    document: () => parseDocument(source),
  }
}

const pagesIn = (path: string) =>
  readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.html'))
    .map(name => ({ name: name.replace(/\.html$/, ''), source: readFileSync(join(path, name), 'utf8') }))
const pages = pagesIn(folder)

for (const { name, source } of pages) {
  const [code, what] = name.split('/')
  const given = facts[name] ?? {}
  test(
    code === 'none'
      ? `the stored page "${what}" is not a wall`
      : `the stored page "${what}" is detected as ${code}`,
    () => {
      const found = wallOf(answerOf(source, given))
      assert.equal(found?.code ?? 'none', code, JSON.stringify(found))
      assert.equal(found?.vendor, given.vendor)
      if (found) assert.ok(found.evidence.length > 0 && found.evidence.every(line => line.length < 200))
    },
  )
}

test('each documented wall has a stored example page', () => {
  const names = new Set(pages.map(page => page.name))
  assert.deepEqual(
    Object.keys(facts).filter(name => !names.has(name)),
    [],
  )
})

test('no stored page of another kind is detected as a wall', () => {
  const others = [
    ...pagesIn(join(golden, 'extract')),
    ...pagesIn(join(golden, '../../src/scraper/builtin/golden')),
    ...pagesIn(join(golden, 'render-need')),
  ]
  assert.ok(others.length > 50)
  for (const { name, source } of others) assert.equal(wallOf(answerOf(source)), null, name)
})

/** Real content: several sentences about a subject. */
const content = `<main><h1>Ropes</h1>${'<p>All ropes are made in the village, from hemp that grows behind the dyke. </p>'.repeat(60)}</main>`
const positives = pages.filter(page => !page.name.startsWith('none/'))

test('a page with content is not a wall, whatever markers of walls it contains', () => {
  for (const { name, source } of positives) assert.equal(wallOf(answerOf(`${source}${content}`)), null, name)
})

test('a wall is detected at any URL without words such as login or consent', () => {
  fc.assert(
    fc.property(fc.constantFrom(...positives), fc.webUrl({ withQueryParameters: true }), (page, url) => {
      const given = { ...facts[page.name], url, ...(!facts[page.name]?.final_url && { final_url: url }) }
      const found = wallOf(answerOf(page.source, given))
      return found !== null || /log|sign|auth|sso|cas|consent|acc/i.test(url)
    }),
  )
})

test('wall detection returns a wall or null for any response, and never throws', () => {
  const parts = fc.constantFrom(
    '<title>',
    '404',
    'Not found',
    '</title>',
    '<h1>',
    '</h1>',
    '<input type=password>',
    'captcha',
    'Log in',
    '<iframe src=_Incapsula_Resource>',
    '<meta http-equiv=refresh content="0;url=http://[">',
    '&#0;',
    '<svg><title>',
    '<button>Accept all',
    'cookies',
  )
  fc.assert(
    fc.property(fc.array(parts), fc.integer({ min: 100, max: 999 }), (markup, status) => {
      const found: Wall | null = wallOf(answerOf(markup.join(' '), { status }))
      return found === null || found.evidence.length > 0
    }),
  )
})

test('a 404 means not found, whatever else the page says', () => {
  for (const { source } of positives) assert.equal(wallOf(answerOf(source, { status: 404 })), null)
})

test('the failure of a wall names the page, the evidence and the vendor, and has the time to wait before a retry', () => {
  const answer = answerOf('<title>Just a moment...</title>', {
    status: 429,
    headers: { 'cf-mitigated': 'challenge' },
  })
  const failure = wallFailure(wallOf(answer)!, answer, { retryAfterMs: 5_000 })
  assert.equal(failure.code, 'blocked.captcha')
  assert.match(failure.message, /^https:\/\/shop\.example\/page asks whether .* cf-mitigated: challenge/)
  assert.deepEqual(failure.details, {
    retryAfterMs: 5_000,
    status: 429,
    evidence: ['header cf-mitigated: challenge'],
    vendor: 'Cloudflare',
  })
})

test('the evidence of a login wall contains no credentials', () => {
  const answer = answerOf('<input type=password>', {
    final_url: 'https://shop.example/login?next=/page&token=s3cret',
  })
  assert.doesNotMatch(wallFailure(wallOf(answer)!, answer).message, /s3cret/)
})

test('docs/browser.md describes every wall', () => {
  const page = readFileSync(join(golden, '../../docs/browser.md'), 'utf8')
  const codes = new Set(positives.map(({ name }) => name.split('/')[0]!))
  assert.equal(codes.size, 6)
  for (const code of codes) assert.ok(page.includes(`| \`${code}\` |`), code)
})
