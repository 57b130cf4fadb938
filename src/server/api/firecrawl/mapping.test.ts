// Tests the search in the URLs of a map.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { byWords } from './mapping.ts'

const urls = ['https://a.example/blog', 'https://a.example/red-shoes', 'https://a.example/shoes']

test('URLs with the most words of the search come first; URLs without any are left out', () => {
  assert.deepEqual(byWords(urls, 'Red shoes!'), ['https://a.example/red-shoes', 'https://a.example/shoes'])
})

test('URLs with equally many words keep their order', () => {
  assert.deepEqual(byWords(urls, 'a'), urls)
})

test('a search without words finds nothing', () => {
  assert.deepEqual(byWords(urls, '?!'), [])
})
