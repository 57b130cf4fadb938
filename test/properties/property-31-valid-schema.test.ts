// Property 31: what the normalizer makes of a page fits the schema, without markup and without white space around.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { jobPostingResult } from '../../src/model/target-schemas.ts'
import { stripHtml } from '../../src/normalize/index.ts'
import { jsonLdBlock, scrapeMarkup } from '../support/scraper-run.ts'

const word = fc.stringMatching(/^[A-Za-zäöüß]{1,12}$/)
const wrap = (inner: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.constantFrom('p', 'b', 'div class="x"', 'li', 'span title="a b"'),
      inner,
      fc.constantFrom('', ' ', '\n\t'),
    )
    .map(([tag, text, space]) => `<${tag}>${space}${text}${space}</${tag.split(' ', 1)[0]}>`)
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Words in markup, some of it escaped once more, and the words alone. */
const markedUp = fc.array(fc.tuple(word, fc.boolean()), { minLength: 1, maxLength: 6 }).chain(words =>
  fc
    .tuple(...words.map(([text, bare]) => (bare ? fc.constant(text) : wrap(wrap(fc.constant(text))))))
    .chain(parts => fc.boolean().map(twice => (twice ? escaped(parts.join(' ')) : parts.join(' '))))
    .map(markup => ({ markup, words: words.map(([text]) => text) })),
)

test('Property 31: markup and the white space around it go, the words stay in their order', () => {
  fc.assert(
    fc.property(markedUp, ({ markup, words }) => {
      assert.deepEqual(stripHtml(markup).split(' '), words)
    }),
  )
})

test('Property 31: a record fits its schema, whatever markup its page put into the fields', async () => {
  await fc.assert(
    fc.asyncProperty(markedUp, markedUp, markedUp, async (title, company, description) => {
      const [record] = await scrapeMarkup(
        'job_posting',
        jsonLdBlock({
          '@type': 'JobPosting',
          title: title.markup,
          hiringOrganization: { name: company.markup },
          description: description.markup,
        }),
      )
      assert.deepEqual(jobPostingResult.parse(record!.data), record!.data)
      assert.equal(record!.data.job_title, title.words.join(' '))
      assert.equal(record!.data.company_name, company.words.join(' '))
      assert.equal(record!.data.description, description.words.join(' '))
    }),
    { numRuns: 40 },
  )
})

test('Property 31: no text of any kind leaves a tag or white space around what was stripped', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('<', '>', '&lt;', '&amp;', 'p', '/', ' ', '\n', 'x') }),
      text => {
        const stripped = stripHtml(text)
        assert.equal(stripped, stripped.trim())
        assert.doesNotMatch(stripped, /<\/?[a-z][^<>]*>/i)
      },
    ),
  )
})
