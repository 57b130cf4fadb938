// Tests that a profile assigns CPU time to the part of the program to which each function belongs. Waiting belongs to no part.
import assert from 'node:assert/strict'
import test from 'node:test'
import { msByPart, partOf } from '../bench/profile/parts.ts'

test('a profile assigns each file and function to a part of the program', () => {
  const part = (functionName: string, url: string) => partOf({ functionName, url })
  assert.equal(part('addText', 'file:///x/dist/extract/document/parse/text-rules.js'), 'parse HTML')
  assert.equal(part('measure', 'file:///x/dist/extract/content/text-measure.js'), 'extract')
  assert.equal(part('writeGeneric', 'node:internal/stream_base_commons'), 'sockets and HTTP')
  assert.equal(part('(garbage collector)', ''), 'garbage collection')
  assert.equal(part('stringify', ''), 'JSON')
  assert.equal(part('main', 'file:///x/dist/cli/main.js'), 'program')
  assert.equal(part('(idle)', ''), null)
})

test('profile samples are summed by part', () => {
  const nodes = [
    { id: 1, callFrame: { functionName: '(idle)', url: '' } },
    { id: 2, callFrame: { functionName: 'parse', url: '' } },
  ]
  const spent = msByPart({ nodes, samples: [1, 2, 2], timeDeltas: [9_000, 1_000, 500] })
  assert.deepEqual([...spent], [['JSON', 1.5]])
})
