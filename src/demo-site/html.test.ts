// Tests that input of clients never becomes markup.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { html, jsonLd } from './html.ts'

test('text in a template is escaped, and HTML in a template is not', () => {
  const inner = html`<b>${'a & b'}</b>`
  assert.equal(html`<p title="${'"'}">${inner}${3}</p>`.text, '<p title="&quot;"><b>a &amp; b</b>3</p>')
})

test('a text in a template can neither open a tag nor end an attribute', () => {
  fc.assert(fc.property(fc.string(), text => !/[<>"']/.test(html`${text}`.text)))
})

test('a value in a template cannot close a block of JSON-LD, and is read back unchanged', () => {
  const block = jsonLd({ name: '</script><script>alert(1)</script>' }).text
  assert.equal(block.match(/<\/script>/g)?.length, 1)
  const data = JSON.parse(block.slice(block.indexOf('>') + 1, block.lastIndexOf('<')))
  assert.equal(data.name, '</script><script>alert(1)</script>')
})
