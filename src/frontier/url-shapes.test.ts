// Tests which URLs belong to one URL template.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { templateOf } from './url-shapes.ts'

test('pages of one folder have one URL template, whatever their names', () => {
  assert.equal(templateOf('https://shop.example/p/4711-mug?colour=red'), 'shop.example/p/*?colour')
  assert.equal(templateOf('https://shop.example/p/plate'), templateOf('https://shop.example/p/cup'))
  assert.equal(templateOf('https://a.example/2026/11/x'), templateOf('https://a.example/2025/3/y'))
})

test('a folder, a page in it, a page of another host and a page with a parameter have different URL templates', () => {
  const urls = [
    'https://a.example/p/',
    'https://a.example/p/x',
    'https://b.example/p/x',
    'https://a.example/p/x?q=1',
  ]
  assert.equal(new Set(urls.map(templateOf)).size, 4)
})
