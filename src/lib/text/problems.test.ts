// Tests that errors about an input are limited in number and length, and take limited work to find.
import assert from 'node:assert/strict'
import test from 'node:test'
import * as z from 'zod'
import { checkInParts } from '../check-in-parts.ts'
import { mostProblems, problemsOf } from './problems.ts'

const schema = z.strictObject({ urls: z.array(z.url()).optional() })

/** A list of known words that counts how often it is compared. */
function counted(words: string[]): { known: string[]; comparisons: () => number } {
  let comparisons = 0
  const known = Object.assign([...words], {
    *[Symbol.iterator]() {
      comparisons++
      yield* words
    },
  })
  return { known, comparisons: () => comparisons }
}

test('the error for many unknown keys names only the first keys, and suggests names only for these', () => {
  const input = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`urlz${index}`, 0]))
  const { error } = schema.safeParse(input)
  const { known, comparisons } = counted(['urls'])
  assert.equal(problemsOf(error!, { known }).length, mostProblems)
  assert.equal(comparisons(), mostProblems)
})

test('a very long unknown key is shortened in the error, and gets no suggestion', () => {
  const { error } = schema.safeParse({ ['u'.repeat(1_000_000)]: 0 })
  const { known, comparisons } = counted(['urls'])
  const [problem] = problemsOf(error!, { known })
  assert.ok(problem!.path.length < 300)
  assert.ok(comparisons() <= 1)
})

test('the error for a missing field says that the field is required, and names its type', () => {
  const { error } = z.strictObject({ name: z.string(), links: z.array(z.string()) }).safeParse({})
  assert.deepEqual(problemsOf(error!), [
    { path: 'name', message: 'missing; this field is required (string)' },
    { path: 'links', message: 'missing; this field is required (array)' },
  ])
})

test('if the first entries of a long list are invalid, the rest of the list is not checked', () => {
  let checked = 0
  const list = z.object({ urls: z.array(z.string().refine(() => ++checked < 0)) })
  const result = checkInParts(list, { urls: Array(50_000).fill('x') })
  assert.equal(result.success, false)
  assert.ok(checked <= 1_000, String(checked))
})

test('a long list is checked to its end', () => {
  const urls = [...Array(5_000).fill('http://a.example/'), 'x']
  const result = checkInParts(schema, { urls })
  assert.deepEqual(result.error?.issues[0]?.path, ['urls', 5_000])
  assert.equal(checkInParts(schema, { urls: urls.slice(0, -1) }).success, true)
})
