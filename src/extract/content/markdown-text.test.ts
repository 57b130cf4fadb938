// Tests that text of a page never becomes HTML in markdown.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseDocument } from '../document/index.ts'
import { wholePage } from './main-content.ts'
import { toMarkdown } from './markdown.ts'
import { escapeInline } from './markdown-text.ts'

const markdownOf = (html: string): string => {
  const document = parseDocument(html)
  return toMarkdown(document, wholePage(document), 'https://a.example/')
}

test('text that looks like a tag stays text, even if it is assembled from several pieces', () => {
  for (const [html, wanted] of [
    ['<p>&lt;img src=x onerror=alert(1)&gt;', '\\<img src=x onerror=alert(1)>'],
    ['<p>&lt;<span>img src=x onerror=alert(1)&gt;</span>', '\\<img src=x onerror=alert(1)>'],
    ['<p>\\<span>&lt;img src=x&gt;</span>', '\\\\\\<img src=x>'],
    ['<h1>&lt;<span>script&gt;</span></h1>', '# \\<script>'],
    ['<p><a href="/x">&lt;</a>img src=x&gt;', '[\\<](https://a.example/x)img src=x>'],
    ['<p>2 &lt; 3 and a \\ b', '2 < 3 and a \\ b'],
  ])
    assert.equal(markdownOf(html!), wanted)
})

test('formula signs without a closing sign are text, and a million of them are parsed in one pass', () => {
  assert.equal(escapeInline('\\(a and \\[b and $5_000'), '\\\\(a and \\\\[b and $5_000')
  for (const text of ['\\('.repeat(250_000), '\\['.repeat(250_000), `$${'_'.repeat(500_000)}`])
    assert.ok(escapeInline(text).length >= text.length)
})

test('formulas stay unchanged; prices are not formulas', () => {
  assert.equal(escapeInline('$x_1*y$ is \\(a*b\\), $5 and $6*a*'), '$x_1*y$ is \\(a*b\\), $5 and $6\\*a\\*')
  assert.equal(escapeInline('$$ a_1\n*b* $$ *c*'), '$$ a_1\n*b* $$ \\*c\\*')
})
