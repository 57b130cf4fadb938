// Tests how scrape options of both API versions are parsed, and the warnings about ignored options.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scrapeOptionsOf } from './options.ts'
import type { OptionsV1, OptionsV2 } from './schemas.ts'

const v1 = (given: object) => scrapeOptionsOf({ version: 1, given: given as OptionsV1 })
const v2 = (given: object) => scrapeOptionsOf({ version: 2, given: given as OptionsV2 })

test('the defaults of each version are those of the real service', () => {
  const [first, second] = [v1({}), v2({})]
  assert.deepEqual([first.formats, second.formats], [['markdown'], ['markdown']])
  assert.deepEqual([first.timeoutMs, second.timeoutMs], [30_000, 60_000])
  assert.deepEqual([first.maxAgeMs, second.maxAgeMs], [0, 172_800_000])
  for (const options of [first, second]) {
    assert.deepEqual(options.part, { onlyMainContent: true, includeTags: [], excludeTags: [] })
    assert.deepEqual(
      [options.blocksAds, options.isMobile, options.isStealth, options.triesAgain],
      [true, false, false, false],
    )
    assert.deepEqual(options.warnings, [])
  }
})

test('a format that is named twice is made once, and a warning names each unsupported format', () => {
  const options = v2({ formats: ['html', 'html', { type: 'links' }, 'video'] })
  assert.deepEqual(options.formats, ['html', 'links'])
  assert.match(options.warnings.join(), /"video"/)
})

test('if a request names several screenshots, only the last one is made, with a warning', () => {
  const options = v2({
    formats: [
      { type: 'screenshot', fullPage: true },
      { type: 'screenshot', quality: 50 },
    ],
  })
  assert.deepEqual(options.screenshot, { quality: 50 })
  assert.equal(options.hasScreenshot, true)
  assert.equal(options.warnings.length, 1)
})

test('version 1 has its own names for full-page screenshots and for extraction with its options', () => {
  const schema = { type: 'object' }
  assert.deepEqual(v1({ formats: ['screenshot@fullPage'] }).screenshot, { fullPage: true })
  assert.deepEqual(v1({ formats: ['extract'], extract: { schema } }).json, { schema })
  assert.deepEqual(v1({ formats: ['json'], extract: { schema: {} }, jsonOptions: { schema } }).json, {
    schema,
  })
  assert.deepEqual(v1({ formats: ['json'], extract: { schema } }).json, { schema })
})

test('the format json needs a schema, a prompt for the model, or both', () => {
  const without = v2({ formats: [{ type: 'json', prompt: 'the price' }] })
  assert.deepEqual([without.json, without.jsonPrompt], [undefined, 'the price'])
  assert.equal(v2({ formats: ['json'] }).warnings.length, 1)
  const both = v2({ formats: [{ type: 'json', prompt: 'the price', schema: { type: 'object' } }] })
  assert.deepEqual(both.json, { schema: { type: 'object' }, prompt: 'the price' })
  assert.deepEqual(both.warnings, [])
  const jsonOptions = { schema: {}, systemPrompt: 'be brief', prompt: 'the price' }
  assert.equal(v1({ formats: ['json'], jsonOptions }).json?.prompt, 'be brief\nthe price')
})

test('the format changeTracking includes markdown', () => {
  const alone = v2({ formats: [{ type: 'changeTracking', modes: ['git-diff'], tag: 't' }] })
  assert.deepEqual(alone.formats, ['markdown'])
  assert.deepEqual(alone.changes, { modes: ['git-diff'], tag: 't' })
  assert.equal(alone.warnings.length, 1)
  const both = v2({ formats: ['markdown', 'changeTracking'] })
  assert.deepEqual([both.changes, both.warnings], [{ modes: [], tag: null }, []])
})

test('the option proxy is stealth, auto or basic', () => {
  const kinds = ['stealth', 'enhanced', 'auto', 'basic'].map(proxy => v2({ proxy }))
  assert.deepEqual(
    kinds.map(({ isStealth }) => isStealth),
    [true, true, false, false],
  )
  assert.deepEqual(
    kinds.map(({ triesAgain }) => triesAgain),
    [false, false, true, false],
  )
})

test('with storeInCache false the cache is not used, and a maxAge gives a warning', () => {
  assert.equal(v2({ storeInCache: false }).maxAgeMs, null)
  assert.deepEqual(v2({ storeInCache: false }).warnings, [])
  assert.equal(v2({ storeInCache: false, maxAge: 5 }).warnings.length, 1)
  assert.equal(v2({ storeInCache: true, maxAge: 0 }).maxAgeMs, 0)
})

test('redactPII masks personal data for any value except false', () => {
  assert.deepEqual(
    [undefined, false, true, { entities: [] }].map(redactPII => v2({ redactPII }).masksPersonalData),
    [false, false, true, true],
  )
})

test('each ignored option has its own warning', () => {
  const { warnings } = v2({ fastMode: true, minAge: 1, skipTlsVerification: true, zeroDataRetention: true })
  assert.deepEqual(warnings.map(text => text.split(':')[0]).sort(), [
    ...['fastMode', 'minAge', 'skipTlsVerification', 'zeroDataRetention'],
  ])
  assert.deepEqual(v2({ skipTlsVerification: false, zeroDataRetention: false }).warnings, [])
})

test('each version has its own warnings', () => {
  const firsts = (options: { warnings: string[] }) => options.warnings.map(text => text.split(':')[0])
  assert.deepEqual(firsts(v1({ parsePDF: false, agent: {} })), ['parsePDF', 'agent'])
  assert.deepEqual(firsts(v1({ parsePDF: true })), [])
  assert.deepEqual(firsts(v2({ parsers: [] })), ['parsers'])
  assert.deepEqual(firsts(v2({ parsers: ['pdf'] })), [])
  assert.deepEqual(firsts(v2({ parsers: [{ type: 'pdf' }, { type: 'docx' }] })), ['parsers'])
  assert.deepEqual(firsts(v2({ profile: { name: 'me', saveChanges: false } })), ['profile.saveChanges'])
})

test('only version 2 accepts a profile, which becomes a session', () => {
  assert.equal(v2({ profile: { name: 'me' } }).session, 'me')
  assert.equal(v1({ profile: { name: 'me' } }).session, null)
})

test('selectors are checked before anything is fetched', () => {
  assert.throws(() => v2({ includeTags: ['div >'] }), { code: 'input.invalid' })
  assert.throws(
    () => v2({ formats: [{ type: 'attributes', selectors: [{ selector: '[', attribute: 'a' }] }] }),
    {
      code: 'input.invalid',
    },
  )
})
