// How much CPU does it take to make a WARC record of a 17 KB page?
// 2 cores, Node 24.21, other work running beside it: 131–138 µs, 17,010 → 5,854 bytes.

import { warcRecord } from '../src/results/warc.ts'
import { somePage } from '../test/support/results-parts.ts'

const rounds = 5_000
const page = somePage({ body: Buffer.from(somePageText(17_000)) })

for (let round = 0; round < 500; round++) warcRecord(page)
const before = process.cpuUsage()
let bytes = 0
for (let round = 0; round < rounds; round++) bytes += warcRecord(page).length
const { user, system } = process.cpuUsage(before)

const perRecord = ((user + system) / rounds).toFixed(1)
console.log(`${perRecord} µs of CPU per record, ${page.body.length} → ${Math.round(bytes / rounds)} bytes`)

/** A text with repeated markup and varying words, like a page. It is the same in every run. */
function somePageText(length: number): string {
  let seed = 1
  const next = (limit: number) => {
    seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff
    return seed % limit
  }
  let text = '<!doctype html><title>Catalogue</title>'
  while (text.length < length) {
    const words = Array.from({ length: 12 }, () => next(5_000).toString(36))
    text += `<div class="item"><a href="/p/${next(100_000)}">${words.join(' ')}</a></div>\n`
  }
  return text
}
