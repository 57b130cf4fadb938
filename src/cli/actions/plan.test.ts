// Tests how a plan is printed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JobPlan } from '../../model/api/plan.ts'
import { planLines } from './plan.ts'

const host = (name: string) =>
  ({
    host: name,
    pages: 10,
    rate: 1,
    crawlDelayMs: null,
    robots: 'parsed',
  }) as unknown as JobPlan['hosts'][number]
const sample: JobPlan['sample'] = {
  ...{ pages: 3, ok: 2, failures: { 'http.not-found': 1 }, bytesPerPage: 2_000, millisecondsPerPage: 40 },
  ...{ needBrowser: 1, whyBrowser: 'an empty root' },
}
const estimate: JobPlan['estimate'] = {
  ...{ seconds: 600, secondsPerThousandPages: 1_000, why: '1/s', bytes: null },
  ...{ browserPages: null, browserSeconds: null, money: null },
}
const planOf = (change: Partial<JobPlan> = {}): JobPlan => ({
  ...{
    kind: 'crawl',
    pages: { count: 600, basis: 'sitemaps', disallowed: 0, hosts: 1 },
    hosts: [host('a.example')],
  },
  ...{ sample, estimate, asked: [], notes: [] },
  ...change,
})
const textOf = (change: Partial<JobPlan> = {}) => planLines(planOf(change)).join('\n')

test('a plan prints a line for each known value, and no line for unknown values', () => {
  const bare = textOf()
  assert.match(bare, /about 600 on 1 host \(sitemaps\)/)
  assert.match(bare, /2 of 3 pages .*; 1 http\.not-found/)
  assert.match(bare, /needed for 1 of these pages \(an empty root\)/)
  assert.match(bare, /about 10m/)
  assert.doesNotMatch(bare, /traffic|costs|note:/)
  const full = textOf({
    estimate: { ...estimate, bytes: 5_000_000, browserPages: 7, money: 1.5 },
    notes: ['slow'],
  })
  for (const part of [/traffic: .*MB/, /\b7 pages/, /1\.50/, /note: +slow/]) assert.match(full, part)
})

test('if the number of pages is unknown, a plan gives the time for a thousand pages', () => {
  const pages = { count: null, basis: 'links', disallowed: 4, hosts: 1 }
  const text = textOf({ pages, estimate: { ...estimate, seconds: null } })
  assert.doesNotMatch(text, /about \d+ on/)
  assert.match(text, /16m40s|16m 40s|17m/)
  assert.match(text, /\b4 more\b/)
})

test('a plan lists five hosts and counts the others', () => {
  const hosts = Array.from({ length: 6 }, (_, n) => host(`h${n}.example`))
  const text = textOf({ hosts, pages: { count: 60, basis: 'list', disallowed: 0, hosts: 9 } })
  assert.match(text, /h4\.example/)
  assert.doesNotMatch(text, /h5\.example/)
  assert.match(text, /and 4 more/)
})
