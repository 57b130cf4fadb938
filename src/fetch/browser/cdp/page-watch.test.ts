// Tests which document counts as shown and which one as loading, after given events of a tab.
import assert from 'node:assert/strict'
import test from 'node:test'
import { toldTab } from '../../../../test/support/told-tab.ts'

test('a document that is still loading does not affect the current one', () => {
  const { watch, asks, isAnswered, shows } = toldTab()
  asks('1', 'http://a.example/one')
  isAnswered('1', 'http://a.example/one', 404)
  shows('1', 'http://a.example/one')
  asks('2', 'http://a.example/two')
  assert.deepEqual([watch.shown.url, watch.shown.status], ['http://a.example/one', 404])

  isAnswered('2', 'http://a.example/two', 200)
  shows('2', 'http://a.example/two')
  assert.deepEqual([watch.shown.url, watch.shown.status], ['http://a.example/two', 200])
})

test('each document is complete when its markup is parsed to the end', () => {
  const { watch, happens, asks, isAnswered, shows } = toldTab()
  assert.equal(watch.isWhole, true, 'nothing has come')
  for (const id of ['1', '2']) {
    asks(id, 'http://a.example/')
    isAnswered(id, 'http://a.example/', 200)
    shows(id, 'http://a.example/')
    assert.equal(watch.isWhole, false)
    happens('Page.domContentEventFired', {})
    assert.equal(watch.isWhole, true)
  }
})
