// Tests into which folder the output files of a job go.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jobBody } from '../../../model/api/jobs.ts'
import { placeOutputs } from './create.ts'

const server = { parts: { exportsFolder: (jobId: string) => `/data/exports/${jobId}` } } as never
const body = (change: object = {}) => jobBody.parse({ urls: ['https://a.example/'], ...change })
const output = [{ path: 'a.csv', format: 'csv' }]

test('output files go into the folder of the job', () => {
  const placed = placeOutputs(server, body({ jobId: 'mine', output }))
  assert.deepEqual([placed.jobId, placed.output?.[0]?.path], ['mine', '/data/exports/mine/a.csv'])
})

test('a job without an id gets an id that matches its folder, and a job without files is unchanged', () => {
  const placed = placeOutputs(server, body({ output }))
  assert.match(placed.jobId!, /^job-[0-9a-f]+$/)
  assert.equal(placed.output?.[0]?.path, `/data/exports/${placed.jobId}/a.csv`)
  const plain = body()
  assert.equal(placeOutputs(server, plain), plain)
})
