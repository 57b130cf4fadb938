// Property 31: results match their schema, without markup and without surrounding white space.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { type TargetType, targetSchemas } from '../../src/model/target-schemas.ts'
import { stripHtml } from '../../src/normalize/index.ts'
import { ScrapeApi } from '../support/scrape-api.ts'
import { pageWith, TargetSite, targetPages, targetTypes } from './target-pages.ts'

let site: TargetSite
let api: ScrapeApi
before(async () => {
  site = await TargetSite.open()
  api = await ScrapeApi.open({ settings: { allowPrivate: site.places } })
})
after(async () => {
  await api?.[Symbol.asyncDispose]()
  await site?.[Symbol.asyncDispose]()
})

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

/** Words inside markup, some of them escaped twice, and the same words without markup. */
const markedUp = fc.array(fc.tuple(word, fc.boolean()), { minLength: 1, maxLength: 6 }).chain(words =>
  fc
    .tuple(...words.map(([text, bare]) => (bare ? fc.constant(text) : wrap(wrap(fc.constant(text))))))
    .chain(parts => fc.boolean().map(twice => (twice ? escaped(parts.join(' ')) : parts.join(' '))))
    .map(markup => ({ markup, words: words.map(([text]) => text) })),
)

test('Property 31: markup and surrounding white space are removed, and the words stay in order', () => {
  fc.assert(
    fc.property(markedUp, ({ markup, words }) => {
      assert.deepEqual(stripHtml(markup).split(' '), words)
    }),
  )
})

/** For each target type: the text fields, and the property of the page from which each field comes. */
const textFields: Record<TargetType, Record<string, (markup: string) => Record<string, unknown>>> = {
  job_posting: {
    job_title: title => ({ title }),
    company_name: name => ({ hiringOrganization: { name } }),
    description: description => ({ description }),
  },
  company_website: {
    company_name: name => ({ name }),
    description: description => ({ description }),
    industry: industry => ({ industry }),
  },
  linkedin_profile: {
    name: name => ({ name }),
    headline: jobTitle => ({ jobTitle }),
    current_company: name => ({ worksFor: { name } }),
    summary: description => ({ description }),
  },
}

// Fails if one of the three scrapers emits text with its markup, or a key that its schema does not have.
for (const id of targetTypes)
  test(`Property 31: the result of ${id} matches its schema, whatever markup the fields of the page have`, async () => {
    const fields = textFields[id]
    const names = Object.keys(fields)
    const anyTexts = fc.tuple(...names.map(() => markedUp))
    await fc.assert(
      fc.asyncProperty(fc.array(anyTexts, { minLength: 8, maxLength: 8 }), async pages => {
        await Promise.all(pages.map(check))
      }),
      { numRuns: 1, endOnFailure: true },
    )

    async function check(texts: Array<{ markup: string; words: string[] }>): Promise<void> {
      const properties = Object.assign(
        {},
        ...texts.map(({ markup }, index) => fields[names[index]!]!(markup)),
      )
      const { status, body, text } = await site.scrape(
        api,
        id,
        pageWith(targetPages[id].schemaType, properties),
      )
      assert.equal(status, 200, text)
      const result = body.data.result!
      assert.deepEqual(targetSchemas[id].strict().parse(result), result)
      names.forEach((name, index) => {
        assert.equal(result[name], texts[index]!.words.join(' '), name)
      })
    }
  })

test('Property 31: no cleaned text contains a tag or surrounding white space', () => {
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
