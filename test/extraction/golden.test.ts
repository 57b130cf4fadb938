// Tests that golden pages give the stored records and markdown. UPDATE_GOLDEN=1 rewrites them.
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { defaultRecord } from '../../src/extract/default-record.ts'
import { type FlatDocument, parseDocument } from '../../src/extract/document/index.ts'
import { findLinks } from '../../src/extract/links.ts'
import { openRegexRunner } from '../../src/extract/regex-runner.ts'
import { applyRules, compileRules, parseRulesFile } from '../../src/extract/rules/index.ts'
import { coerce } from '../../src/normalize/index.ts'

const folder = join(import.meta.dirname, '../golden/extract')
const isUpdating = process.env.UPDATE_GOLDEN !== undefined
const regex = openRegexRunner()
after(() => regex[Symbol.asyncDispose]())

for (const name of readdirSync(folder).sort()) {
  const path = (file: string) => join(folder, name, file)
  const url = `https://golden.example/${name}/page.html`
  const document = parseDocument(readFileSync(path('page.html'), 'utf8'))

  test(`the page "${name}" gives its expected record and markdown`, () => {
    const { markdown, ...rest } = defaultRecord(document, {
      url,
      finalUrl: url,
      status: 200,
      fetchedAt: 0,
    }).data
    same(path('record.json'), `${JSON.stringify(rest, null, 2)}\n`)
    same(path('page.md'), `${markdown}\n`)
  })

  if (existsSync(path('rules.yaml'))) {
    test(`the rules stored beside the page "${name}" give the expected records`, async () => {
      same(
        path('extracted.json'),
        `${JSON.stringify(await extract(document, path('rules.yaml'), url), null, 2)}\n`,
      )
    })
  }
}

async function extract(document: FlatDocument, rulesFile: string, url: string) {
  const rules = compileRules(parseRulesFile(readFileSync(rulesFile, 'utf8'), 'rules.yaml'))
  const baseUrl = findLinks(document, url).base
  return applyRules(document, rules, { url, baseUrl, source: document.source, coerce, regex })
}

function same(file: string, actual: string): void {
  if (isUpdating) writeFileSync(file, actual)
  assert.equal(actual, readFileSync(file, 'utf8'))
}
