// Tests the messages that tell people about a check of a monitor.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Job } from '../../../model/job.ts'
import type { Check, PageChange } from '../../../model/monitor.ts'
import { mailBody, mailUrl, slackBody } from './messages.ts'

const change = (part: Partial<PageChange>): PageChange => ({
  ...{ url: 'https://shop.example/a', status: 'changed', title: null, diff: null, fields: [], reason: null },
  ...part,
})

const check = (changes: PageChange[]): Check =>
  ({
    ...{ jobId: 'j', at: 0, against: 'i', changes, isCut: false },
    counts: { new: 0, same: 3, changed: changes.length, removed: 0, error: 0 },
  }) as Check

const job = {} as Job

test('a message for Slack contains no markup of the page', () => {
  const fields = [{ field: 'title', before: 'old', after: '<!channel> *now* <https://evil.example|click>' }]
  const { text } = JSON.parse(slackBody(job, check([change({ fields })]), 'Prices')) as { text: string }
  assert.match(
    text,
    /^\*Prices: 1 changed\*\nchanged: https:\/\/shop.example\/a\n {2}title: old → &lt;!channel&gt;/,
  )
  assert.ok(!/[<>]/.test(text))
})

test('an e-mail has a subject of one line, and lists ten pages', () => {
  const many = Array.from({ length: 12 }, (_, index) => change({ url: `https://shop.example/${index}` }))
  const { subject, text } = JSON.parse(mailBody(job, check(many), 'Prices\r\nBcc: all@example.com')) as {
    subject: string
    text: string
  }
  assert.equal(subject, 'Prices Bcc: all@example.com: 12 changed')
  assert.equal(text.split('\n').filter(line => line.startsWith('changed: ')).length, 10)
  assert.match(text, /… and 2 more$/)
  assert.equal(mailUrl(['a@b.example', 'c,d@e.example']), 'mailto:a%40b.example,c%2Cd%40e.example')
})
