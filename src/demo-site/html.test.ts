// Input of clients never becomes markup.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { html, jsonLd } from './html.ts'

test('text put into a template is escaped, HTML is not', () => {
  const inner = html`<b>${'a & b'}</b>`
  assert.equal(html`<p title="${'"'}">${inner}${3}</p>`.text, '<p title="&quot;"><b>a &amp; b</b>3</p>')
})

test('no text can open a tag or leave an attribute', () => {
  fc.assert(fc.property(fc.string(), text => !/[<>"']/.test(html`${text}`.text)))
})

test('no value can close a block of JSON-LD, and every value can be read back', () => {
  const block = jsonLd({ name: '</script><script>alert(1)</script>' }).text
  assert.equal(block.match(/<\/script>/g)?.length, 1)
  const data = JSON.parse(block.slice(block.indexOf('>') + 1, block.lastIndexOf('<')))
  assert.equal(data.name, '</script><script>alert(1)</script>')
})
