// Tests docs/extraction-rules.md: its examples run unchanged, and every key of the rules has an example.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { parse } from 'yaml'
import * as z from 'zod'
import { parseDocument } from '../../src/extract/document/index.ts'
import { openRegexRunner } from '../../src/extract/regex-runner.ts'
import { applyRules, compileRules } from '../../src/extract/rules/index.ts'
import { parseRulesFile } from '../../src/extract/rules/rules-file.ts'
import { extractionRules } from '../../src/model/extraction-rules.ts'
import { coerce } from '../../src/normalize/index.ts'

const guide = readFileSync(join(import.meta.dirname, '../../docs/extraction-rules.md'), 'utf8')
const url = 'https://shop.example/item/1'

const regex = openRegexRunner()
after(() => regex[Symbol.asyncDispose]())

interface Example {
  rules: string
  expected: string
}

const blocks = [...guide.matchAll(/```(\w+)\n([\s\S]*?)```/g)].map(([, kind, text]) => ({
  kind,
  text: text!,
}))
const page = blocks.find(({ kind }) => kind === 'html')!.text

/** An example is a block of rules that is directly followed by the expected records. */
const examples: Example[] = blocks.flatMap(({ kind, text }, index) => {
  const next = blocks[index + 1]
  return kind === 'yaml' ? [{ rules: text, expected: next?.kind === 'json' ? next.text : '' }] : []
})

for (const [index, { rules, expected }] of examples.entries())
  test(`example ${index + 1} of the guide gives the records below it`, async () => {
    assert.notEqual(expected, '', `no expected records follow these rules:\n${rules}`)
    const compiled = compileRules(parseRulesFile(rules, 'rules.yaml'))
    const context = { url, baseUrl: url, source: page, coerce, regex }
    const records = await applyRules(parseDocument(page), compiled, context)
    const wanted = JSON.parse(expected) as unknown
    assert.deepEqual(
      records.map(({ data }) => data),
      Array.isArray(wanted) ? wanted : [wanted],
    )
  })

/** Every key that the schema of the rules has at any depth, and every value that it lists. */
function wordsOf(schema: unknown): Set<string> {
  const words = new Set<string>()
  const walk = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    const { properties, enum: listed } = node as { properties?: object; enum?: string[] }
    for (const key of Object.keys(properties ?? {})) words.add(key)
    for (const value of listed ?? []) words.add(`as: ${value}`)
    for (const child of Object.values(node)) walk(child)
  }
  walk(schema)
  return words
}

/** Every key and type that the examples use. Names of fields are not keys, because users choose them. */
function usedIn(rules: unknown): Set<string> {
  const used = new Set<string>()
  const ofFields = (fields: object): void => Object.values(fields).forEach(ofRule)
  const ofRule = (rule: unknown): void => {
    if (typeof rule !== 'object' || rule === null) return
    for (const [key, value] of Object.entries(rule)) {
      used.add(key === 'as' ? `as: ${value}` : key)
      if (key === 'as') used.add('as')
      if (key === 'fields') ofFields(value as object)
    }
  }
  ofRule(rules)
  return used
}

test('every key and every type of the rules has an example', () => {
  const used = new Set(examples.flatMap(({ rules }) => [...usedIn(parse(rules))]))
  const known = wordsOf(z.toJSONSchema(extractionRules, { unrepresentable: 'any' }))
  assert.ok(known.size >= 20, [...known].join())
  assert.deepEqual([...known.difference(used)], [])
})

test('every key of the rules has its own heading in the guide', () => {
  const keys = [...wordsOf(z.toJSONSchema(extractionRules, { unrepresentable: 'any' }))]
  const missing = keys.filter(key => !key.startsWith('as: ') && !guide.includes(`### \`${key}\``))
  assert.deepEqual(missing, [])
})
