// Tests which kinds of noise the rules ignore in a comparison.
import assert from 'node:assert/strict'
import test from 'node:test'
import { ignoreRules, type Noise } from '../../model/monitor.ts'
import { quietRecord, quietText } from './noise.ts'

const only = (...noise: Noise[]) => ignoreRules.parse({ noise })
const isSame = (one: string, other: string, ...noise: Noise[]) =>
  quietText(one, only(...noise)) === quietText(other, only(...noise))

for (const [one, other] of [
  ['Updated 2024-05-01T10:00:00Z', 'Updated 2025-06-02T11:30:00+02:00'],
  ['Seen 5 minutes ago', 'Seen 2 hours ago'],
  ['On 3 May 2024 at 10:30', 'On 12 June 2025 at 9:15 pm'],
  ['May 3rd, 2024', 'June 12, 2025'],
] as const)
  test(`"${one}" and "${other}" differ only by a time`, () => {
    assert.ok(isSame(one, other, 'timestamps', 'whitespace'))
    assert.ok(!isSame(one, other, 'whitespace'))
  })

test('a price is compared and not ignored as a time', () =>
  assert.ok(!isSame('It costs 10.50', 'It costs 11.50', 'timestamps')))

test('a port number is compared and not ignored as a time', () => {
  for (const address of ['http://127.0.0.1:34457/a', 'http://10.0.0.7:80/', 'ratio 3:1000'])
    assert.equal(quietText(address, only('timestamps')), address)
})

test('advertisements, order, digits and letter case are compared unless an option ignores them', () => {
  assert.ok(isSame('text\nSponsored: buy lamps', 'text\nSponsored: buy chairs', 'ads'))
  assert.ok(isSame('a\nb', 'b\na', 'order'))
  assert.ok(isSame('7 left', '12 left', 'numbers'))
  assert.ok(isSame('Lamp', 'LAMP', 'case'))
  assert.ok(!isSame('a\nb', 'b\na', 'ads', 'numbers', 'case', 'whitespace'))
})

test('lines and fields that a monitor names are ignored', () => {
  const rules = ignoreRules.parse({ noise: [], fields: ['views'], lines: ['cookie'] })
  assert.deepEqual(quietRecord({ title: 'x\nOur Cookie notice', views: 5 }, rules), { title: 'x' })
})

test('on a page without rules, only visible content is compared', () => {
  const page = {
    url: 'u',
    final_url: 'u',
    headings: [],
    title: 'T',
    description: null,
    markdown: 'M',
    links: ['a'],
  }
  assert.deepEqual(quietRecord(page, only()), { title: 'T', description: null, markdown: 'M' })
})
