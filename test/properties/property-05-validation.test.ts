// Property 5: an invalid request is refused with 422, and every wrong field is named.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { ScrapeApi } from '../support/scrape-api.ts'

let api: ScrapeApi
before(async () => {
  api = await ScrapeApi.open()
})
after(() => api?.[Symbol.asyncDispose]())

const valid = { url: 'http://a.example/', target_type: 'page' }
const noText = fc.oneof(fc.integer(), fc.boolean(), fc.constant(null), fc.constant([]), fc.constant({}))
const noWebUrl = fc.oneof(
  noText,
  fc.constantFrom(
    '',
    'a.example',
    '/path',
    'ftp://a.example/',
    'http://',
    'javascript:alert(1)',
    'http:// /',
  ),
)
const wrong: Record<string, fc.Arbitrary<unknown>> = {
  url: noWebUrl,
  target_type: fc.oneof(noText, fc.constantFrom('', 'no-such-scraper', 'page+article', '__proto__')),
  workspace_id: fc.oneof(noText, fc.constantFrom('', '../x', 'a b')),
  callback_url: noWebUrl,
  timeout_s: fc.oneof(fc.constantFrom(0, -1, 60.001, 1e9, '30', null), fc.integer({ min: 61 })),
  options: fc.oneof(fc.integer(), fc.string(), fc.constant([])),
  'options.render': fc.constantFrom('sometimes', 1, null),
  'options.headers': fc.constantFrom('x', 1, null),
  'options.wait_for': fc.constantFrom('', -1, null),
  'options.input': fc.constantFrom('x', 1, null),
  unknown_field: fc.anything().map(() => 1),
  'options.unknown_field': fc.constant(1),
}
const anyMistake = fc
  .constantFrom(...Object.keys(wrong))
  .chain(field => fc.tuple(fc.constant(field), wrong[field]!))

/** Sets a field of the body. `a.b` is the field `b` of the object `a`. */
function withField(body: Record<string, unknown>, field: string, value: unknown): Record<string, unknown> {
  const [name, inner] = field.split('.') as [string, string | undefined]
  return { ...body, [name]: inner ? { [inner]: value } : value }
}

const fieldsOf = (details: Record<string, unknown>): string[] =>
  (details.errors as Array<{ field: string; message: string }>).map(({ field }) => field)

test('Property 5: the error names the wrong field, in a scrape, a sync call and a batch', async () => {
  await fc.assert(
    fc.asyncProperty(anyMistake, fc.constantFrom('', '/sync', '/batch'), async ([field, value], path) => {
      const broken = withField(valid, field, value)
      const isBatch = path === '/batch'
      const body = isBatch ? { targets: [valid, broken] } : broken
      const { status, body: answer, text } = await api.ask(path, { body })
      assert.deepEqual([status, answer.error?.code], [422, 'ValidationError'], text)
      const expected = isBatch ? `targets[1].${field}` : field
      assert.ok(
        fieldsOf(answer.error!.details).some(named => named === expected || named.startsWith(`${expected}.`)),
        `${expected} is not among ${fieldsOf(answer.error!.details)}`,
      )
    }),
    { numRuns: 120 },
  )
})

test('Property 5: the error names all wrong fields together', async () => {
  const body = { url: 'x', target_type: 1, timeout_s: 0, callback_url: '', what: 1 }
  const { status, body: answer } = await api.ask('', { body })
  assert.equal(status, 422)
  assert.deepEqual(fieldsOf(answer.error!.details).sort(), Object.keys(body).sort())
})
