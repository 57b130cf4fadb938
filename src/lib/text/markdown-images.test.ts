// Tests that inline images are removed from Markdown.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withoutInlineImages } from './markdown-images.ts'

test('images with inline data lose the data and keep their text', () => {
  assert.equal(
    withoutInlineImages(
      'a ![one](data:image/png;base64,AA==) b ![two](https://a.example/x.png) ![](data:,x)',
    ),
    'a ![one]() b ![two](https://a.example/x.png) ![]()',
  )
})

test('links to inline data, and images whose markup is not closed, stay unchanged', () => {
  for (const text of ['[file](data:text/plain,x) and ![open', '![a](data:never ends', '![a] [b](data:,x)'])
    assert.equal(withoutInlineImages(text), text)
})

test('a text with a million characters of unclosed image markup is parsed in one pass', () => {
  for (const part of ['![', '![](data:', '](data:)', '![](data:]('])
    withoutInlineImages(part.repeat(1_000_000 / part.length))
})
