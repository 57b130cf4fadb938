// Tests that the link to the next page is found by its text and attributes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseDocument } from '../document/index.ts'
import { nextPage } from './next-page.ts'

const next = (html: string, url = 'https://a.example/list?page=1') =>
  nextPage(parseDocument(`<body>${html}</body>`), url)

test('the link to the next page is found by rel, text, label, class or number', () => {
  const found = (html: string) => next(html)?.url
  const two = 'https://a.example/list?page=2'
  assert.equal(found('<a href="?page=2" rel="next">2</a>'), two)
  assert.equal(found('<a href="?page=0">Previous</a><a href="?page=2">Next ›</a>'), two)
  assert.equal(found('<a href="?page=2" aria-label="Next page"><svg></svg></a>'), two)
  assert.equal(found('<ul><li class="next"><a href="?page=2"><i></i></a></li></ul>'), two)
  assert.equal(found('<div><strong>1</strong><a href="?page=2">2</a><a href="?page=3">3</a></div>'), two)
  assert.equal(
    found('<ul><li class="active"><a href="#">1</a></li><li><a href="?page=2">2</a></li></ul>'),
    two,
  )
  assert.equal(found('<a href="?page=2">Weiter</a>'), two)
})

test('a link to the same page is not a link to the next page', () => {
  assert.equal(next('<a href="#">Next</a>'), null)
  assert.equal(next('<a href="https://other.example/">Next</a>'), null)
  assert.equal(next('<div class="carousel-next"><a href="/slide" class="slick-next">·</a></div>'), null)
  assert.equal(next('<p>Nothing to see</p>'), null)
})
