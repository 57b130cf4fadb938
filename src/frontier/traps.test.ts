// Tests that URL patterns without end are detected as traps, and that ordinary sites are not.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TrapGuard } from './traps.ts'
import { patternOf } from './url-shapes.ts'

const site = 'https://a.example'
const admits = (url: string): boolean => new TrapGuard().judge(url).ok

/** The number of URLs of a series that the trap detection admits. */
function countAdmitted(count: number, urlOf: (index: number) => string, guard = new TrapGuard()): number {
  let admitted = 0
  for (let index = 0; index < count; index++) if (guard.judge(urlOf(index)).ok) admitted++
  return admitted
}

test('a path that repeats itself more than twice is a trap', () => {
  const traps = ['/a/a/a', '/x/a/b/a/b/a/b', '/a/b/c/a/b/c/a/b/c/d', '/a/x/a/y/a/z/a/w/a']
  for (const path of traps) assert.ok(!admits(site + path), path)
  for (const path of ['/a/a', '/a/b/a/b', '/2026/11/11', '/', '///', '/a/b/c/d/e/f'])
    assert.ok(admits(site + path), path)
})

test('paths that grow without end, and URLs with very many parameters, are traps', () => {
  const segments = Array.from({ length: 21 }, (_, index) => `s${index}`)
  assert.ok(!admits(`${site}/${segments.join('/')}`))
  assert.ok(admits(`${site}/${segments.slice(1).join('/')}`))
  assert.ok(!admits(`${site}/${'a'.repeat(1_600)}`))
  assert.ok(!admits(`${site}/?${segments.map(name => `${name}=1`).join('&')}`))
})

test('the refusal of a trap names the suspected kind of trap', () => {
  assert.deepEqual(new TrapGuard().judge(`${site}/a/a/a`), {
    ok: false,
    reason: 'trap.suspected',
    rule: 'repeating path segments',
  })
})

test('a crawl stops following a calendar after a while, however its months are written', () => {
  const calendars: Array<(index: number) => string> = [
    index => `${site}/?month=${index}`,
    index => `${site}/calendar/${2000 + Math.floor(index / 12)}/${(index % 12) + 1}`,
    index => `${site}/events/${2000 + Math.floor(index / 12)}-${(index % 12) + 1}`,
    index => `${site}/x?view=list&tribe-bar-date=${2000 + index}-01-01`,
  ]
  for (const urlOf of calendars) assert.equal(countAdmitted(5_000, urlOf), 300, urlOf(1))
})

test('numbered pages of a shop or a newspaper do not count as a calendar', () => {
  const series: Array<(index: number) => string> = [
    index => `${site}/products/item-${index}.html`,
    index => `${site}/?id=${index}`,
    index => `${site}/page/${index}`,
    index => `${site}/2026/05/12/story-${index}-of-the-day`,
    index => `${site}/local/${index}`,
  ]
  for (const urlOf of series) assert.equal(countAdmitted(5_000, urlOf), 5_000, urlOf(1))
})

test('a crawl stops following combinations of filters after a while, but follows one form with many values', () => {
  const names = 'abcdefghij'.split('')
  const combination = (bits: number) =>
    names.filter((_, index) => (bits >> index) & 1).map(name => `${name}=1`)
  assert.ok(countAdmitted(1_024, bits => `${site}/shop?${combination(bits).join('&')}`) < 150)
  assert.equal(
    countAdmitted(1_000, index => `${site}/shop?color=${index}&size=${index % 7}`),
    1_000,
  )
})

test('a URL that was admitted once is never refused as a trap', () => {
  const guard = new TrapGuard({ pagesPerCalendar: 2 })
  const urlOf = (index: number) => `${site}/?month=${index}`
  assert.equal(countAdmitted(5, urlOf, guard), 2)
  assert.equal(countAdmitted(5, urlOf, guard), 2)
  assert.ok(guard.judge(urlOf(1)).ok)
})

test('a crawl stops following a pattern whose pages are all equal, but not one with different pages', () => {
  const guard = new TrapGuard({ sameBodies: 3 })
  for (let index = 0; index < 3; index++) {
    guard.noteBody(`${site}/same/${index}`, 7n)
    guard.noteBody(`${site}/shop/${index}`, index === 1 ? 8n : 7n)
  }
  assert.ok(!guard.judge(`${site}/same/9`).ok)
  assert.ok(guard.judge(`${site}/shop/9`).ok)
  assert.ok(guard.judge(`${site}/same/`).ok)
})

test('if a site always has new patterns, the oldest ones are evicted from memory', () => {
  const guard = new TrapGuard({ pagesPerCalendar: 1, patterns: 10 })
  assert.equal(
    countAdmitted(100, index => `${site}/${'x'.repeat(index)}/cal/1`, guard),
    100,
  )
  assert.ok(guard.judge(`${site}/x/cal/2`).ok)
  assert.ok(!guard.judge(`${site}/${'x'.repeat(99)}/cal/2`).ok)
})

test('in the pattern of a URL, a placeholder replaces numbers', () => {
  assert.equal(patternOf(`${site}/cal/2026/10?d=3`), `${site}/cal/#/#?d=#`)
})

test('filter combinations are counted for each path separately, and a single parameter is no combination', () => {
  const guard = new TrapGuard()
  const many = (path: string, count: number) =>
    countAdmitted(count, n => `${site}${path}?a${n}=1&b=1`, guard) === count
  assert.equal(many('/one', 3), true)
  assert.equal(
    countAdmitted(500, n => `${site}/single?p${n}=1`, guard),
    500,
  )
  assert.equal(
    countAdmitted(500, n => `${site}/plain-${String.fromCharCode(97 + (n % 26))}&x`, guard),
    500,
  )
})

test('a crawl stops following a pattern whose pages are all equal, even if the site has no other pattern', () => {
  const guard = new TrapGuard({ sameBodies: 2 })
  guard.noteBody(`${site}/same/1`, 7n)
  assert.ok(guard.judge(`${site}/same/2`).ok)
  guard.noteBody(`${site}/same/2`, 7n)
  assert.ok(!guard.judge(`${site}/same/3`).ok)
})
