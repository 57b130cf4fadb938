// Tests the structure, attributes, text and markup of a parsed page.
import assert from 'node:assert/strict'
import test from 'node:test'
import {
  compileSelector,
  type FlatDocument,
  type NodeId,
  parseDocument,
  selectAll,
  selectFirst,
} from './index.ts'

function find(document: FlatDocument, css: string): NodeId {
  return selectFirst(document, compileSelector(css))
}

function childNames(document: FlatDocument, node: NodeId): string[] {
  const names: string[] = []
  for (let child = document.firstChild(node); child !== -1; child = document.nextSibling(child)) {
    names.push(document.name(child) || document.kind(child))
  }
  return names
}

test('html, head and body exist even if the page does not write them', () => {
  const document = parseDocument('<title>A</title><p>x')
  assert.deepEqual(childNames(document, 0), ['html'])
  assert.deepEqual(childNames(document, find(document, 'html')), ['head', 'body'])
  assert.deepEqual(document.attributes(find(document, 'html')), [])
  assert.equal(document.parser, 'flat')
})

test('missing end tags are implied', () => {
  const document = parseDocument(
    '<ul><li>1<li>2</ul><p>a<p>b<dl><dt>t<dd>d</dl><table><tr><td>1<td>2<tr><td>3</table>',
  )
  assert.deepEqual(childNames(document, find(document, 'ul')), ['li', 'li'])
  assert.deepEqual(childNames(document, find(document, 'body')), ['ul', 'p', 'p', 'dl', 'table'])
  assert.deepEqual(childNames(document, find(document, 'dl')), ['dt', 'dd'])
  assert.deepEqual(childNames(document, find(document, 'table')), ['tbody'])
  assert.deepEqual(childNames(document, find(document, 'tr')), ['td', 'td'])
})

test('a node knows its parent, its siblings and the end of its subtree', () => {
  const document = parseDocument('<div><a>1</a><b>2</b></div><p>')
  const [div, a, b] = ['div', 'a', 'b'].map(css => find(document, css)) as [NodeId, NodeId, NodeId]
  assert.equal(document.parent(a), div)
  assert.equal(document.firstChild(div), a)
  assert.equal(document.nextSibling(a), b)
  assert.equal(document.previousSibling(b), a)
  assert.equal(document.nextSibling(b), -1)
  assert.equal(document.previousSibling(a), -1)
  assert.equal(document.end(a), b)
  assert.equal(document.end(div), find(document, 'p'))
  assert.equal(document.nextSibling(0), -1)
})

test('attributes are parsed in every notation: quoted, unquoted, empty, repeated, in capitals', () => {
  const document = parseDocument(
    `<A HREF="/a?x=1&amp;y=2" title='it"s' data-n=5 hidden href="/second" alt= >x</A>`,
  )
  const a = find(document, 'a')
  assert.equal(document.attribute(a, 'href'), '/a?x=1&y=2')
  assert.equal(document.attribute(a, 'HREF'), '/a?x=1&y=2')
  assert.equal(document.attribute(a, 'title'), 'it"s')
  assert.equal(document.attribute(a, 'data-n'), '5')
  assert.equal(document.attribute(a, 'hidden'), '')
  assert.equal(document.attribute(a, 'alt'), '')
  assert.equal(document.attribute(a, 'nothing'), null)
  assert.deepEqual(
    document.attributes(a).map(([name]) => name),
    ['href', 'title', 'data-n', 'hidden', 'alt'],
  )
})

test('if an attribute occurs twice, the first value counts, even if it is empty; attribute names match in any letter case', () => {
  const hrefOf = (markup: string) => {
    const document = parseDocument(markup)
    const a = find(document, 'a')
    return [document.attribute(a, 'href'), document.attribute(a, 'rel')]
  }
  assert.deepEqual(hrefOf('<a href href=/b REL=Nofollow>x</a>'), ['', 'Nofollow'])
  assert.deepEqual(hrefOf('<a rel hreF=/a href=/b>x</a>'), ['/a', ''])
  assert.deepEqual(hrefOf('<a href=>x</a>'), ['', null])
  assert.deepEqual(hrefOf('<a hrefs=/a data-rel=y>x</a>'), [null, null])
})

test('nodes that are no elements have no attributes', () => {
  const document = parseDocument('<p>text</p>')
  assert.equal(document.attribute(0, 'class'), null)
  assert.equal(document.attribute(find(document, 'p') + 1, 'class'), null)
  assert.deepEqual(document.attributes(0), [])
})

test('text is decoded, line ends are unified, and unknown end tags are ignored', () => {
  const document = parseDocument('<p>a &lt; b &amp;amp; &copy;\r\nline</nothing> two</p>')
  assert.equal(document.text(find(document, 'p')), 'a < b &amp; ©\nline two')
})

test('character references are decoded in titles and text areas, but not in scripts and styles', () => {
  const page =
    '<title>A &amp; <b></title><script>if (a && b < c) "</p>"</script><textarea>\n&lt;x></textarea>'
  const document = parseDocument(page)
  assert.equal(document.text(find(document, 'title')), 'A & <b>')
  assert.equal(document.text(find(document, 'script')), 'if (a && b < c) "</p>"')
  assert.equal(document.text(find(document, 'textarea')), '<x>')
})

test('the content of noscript is part of the document, because scripts do not run', () => {
  const document = parseDocument('<body><noscript><img src=a.png><a href=/x>x</a></noscript>')
  assert.equal(document.attribute(find(document, 'noscript > a'), 'href'), '/x')
})

test('comments and doctypes are nodes, and a comment has its text', () => {
  const document = parseDocument('<!doctype html><!-- one --><p><!--two-->')
  const kinds = Array.from({ length: document.size }, (_, node) => document.kind(node))
  assert.deepEqual(kinds, [
    'document',
    'doctype',
    'comment',
    'element',
    'element',
    'element',
    'element',
    'comment',
  ])
  assert.equal(document.text(document.size - 1), 'two')
  assert.equal(document.text(0), '')
})

test('a document is serialized as normalized HTML, however its source was written', () => {
  const document = parseDocument(
    `<DIV Class=a>x &lt; y<BR/>&nbsp;<img alt='"'><p>z<script>a&&b</script></DIV>`,
  )
  const div = find(document, 'div')
  const inner = 'x &lt; y<br>&nbsp;<img alt="&quot;"><p>z<script>a&&b</script></p>'
  assert.equal(document.innerHtml(div), inner)
  assert.equal(document.outerHtml(div), `<div class="a">${inner}</div>`)
})

for (const [page, body] of [
  ['<p><b>bold<p>still bold</b> not', '<p><b>bold</b></p><p><b>still bold</b> not</p>'],
  ['<a href=/1>one<a href=/2>two', '<a href="/1">one</a><a href="/2">two</a>'],
  ['<b id=x><div>in</b>out</div>', '<b id="x"></b><div><b id="x">in</b>out</div>'],
  ['<table><p>x</p>text<tr><td>y</table>', '<p>x</p>text<table><tbody><tr><td>y</td></tr></tbody></table>'],
  ['<form><div></form><input></div>', '<form><div><input></div></form>'],
  ['<script><!--<script>1</script>2--></script>x', '<script><!--<script>1</script>2--></script>x'],
  ['<p>a<body class=c><b>b', '<p>a<b>b</b></p>'],
] as const) {
  test(`the fast parser parses ${page} without parse5`, () => {
    const document = parseDocument(`<body>${page}`)
    assert.equal(document.fallbackReason, null)
    assert.equal(document.innerHtml(find(document, 'body')), body)
    assert.equal(document.outerHtml(0), parseDocument(`<body>${page}`, { parser: 'spec' }).outerHtml(0))
  })
}

test('attributes of a second html or body tag are added to the first, unless it has them', () => {
  const document = parseDocument(
    '<html lang=en><body id=a><p>x<html lang=de dir=ltr><body class="b&amp;" id=c>',
  )
  assert.equal(document.parser, 'flat')
  assert.deepEqual(document.attributes(find(document, 'html')), [
    ['lang', 'en'],
    ['dir', 'ltr'],
  ])
  assert.deepEqual(document.attributes(find(document, 'body')), [
    ['id', 'a'],
    ['class', 'b&'],
  ])
  assert.equal(find(document, 'body#a.b\\&'), find(document, 'body'))
})

test('with an old doctype a table stays inside its paragraph; with a newer doctype the table ends the paragraph', () => {
  const tableParent = (doctype: string) => {
    const document = parseDocument(`<!doctype ${doctype}><p>a<table><tr><td>b</table>`)
    assert.equal(document.parser, 'flat')
    return document.name(document.parent(find(document, 'table')))
  }
  const loose = '"http://www.w3.org/TR/html4/loose.dtd"'
  assert.equal(tableParent('HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN"'), 'p')
  assert.equal(tableParent(`HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN" ${loose}`), 'body')
  assert.equal(tableParent("html PUBLIC '-//W3C//DTD HTML 3.2 Final//EN'"), 'p')
  assert.equal(tableParent('html SYSTEM "about:legacy-compat"'), 'body')
})

for (const [page, reason] of [
  ['<template><a href=/x></a></template>', 'template in the head'],
  ['<body><template><tr><td>x</template>', 'part of a table in a template'],
  ['<frameset><frame></frameset>', 'frameset'],
  ['<svg><p>x</svg>', '<p> inside svg or math'],
  ['<p>a\0b</p>', 'NUL character'],
] as const) {
  test(`the fast parser leaves ${page.replace('\0', '␀')} to parse5`, () => {
    assert.equal(parseDocument(page).fallbackReason, reason)
    assert.equal(parseDocument(page).parser, 'spec')
    assert.equal(parseDocument(page, { parser: 'flat' }).parser, 'flat')
  })
}

test('selectors find the content of a template below the template', () => {
  const document = parseDocument('<body><template><a href=/x>x</a></template>')
  assert.equal(document.parser, 'flat')
  assert.equal(document.attribute(find(document, 'template a'), 'href'), '/x')
})

test('a byte order mark is not part of the page', () => {
  const document = parseDocument('\ufeff<!doctype html><title>x</title>')
  assert.equal(document.text(find(document, 'head title')), 'x')
})

test('the memory of a released document is reused, and no other document is damaged', () => {
  const kept = parseDocument('<p id=a>kept</p>')
  for (let i = 0; i < 20; i += 1) {
    const document = parseDocument(`<ul>${`<li>item ${i}`.repeat(i * 50)}</ul>`)
    const again = parseDocument('<b>beside</b>')
    assert.equal(selectAll(document, compileSelector('li')).length, i * 50)
    document.release()
    const next = parseDocument(`<i>next ${i}</i>`)
    assert.equal(next.text(0), `next ${i}`)
    assert.equal(again.text(0), 'beside')
    next.release()
  }
  assert.equal(kept.text(selectAll(kept, compileSelector('#a'))[0]!), 'kept')
})

test('a value derived from a document is computed once, and again after the document is released', () => {
  const document = parseDocument('<p>a<p>b')
  let times = 0
  const count = ({ size }: FlatDocument) => {
    times++
    return size
  }
  assert.equal(document.derive(count), document.size)
  assert.equal(document.derive(count), document.size)
  assert.equal(times, 1)
  document.release()
  document.derive(count)
  assert.equal(times, 2)
})
