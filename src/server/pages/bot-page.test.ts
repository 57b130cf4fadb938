// Tests the page for site owners, and the user agent that links to it.
import assert from 'node:assert/strict'
import test from 'node:test'
import { userAgentOf } from '../../lib/user-agent.ts'
import { botPage } from './bot-page.ts'

test('the default user agent links to a contact, or to an existing page of the service', () => {
  assert.equal(userAgentOf({}), 'kscrape/0.1.0')
  assert.equal(
    userAgentOf({ publicUrl: 'https://scrape.example/' }),
    'kscrape/0.1.0 (+https://scrape.example/bot)',
  )
  const contact = 'mailto:me@here.example'
  assert.equal(userAgentOf({ contact, publicUrl: 'https://x.example' }), `kscrape/0.1.0 (+${contact})`)
  assert.equal(userAgentOf({ userAgent: 'mine/1', publicUrl: 'https://x.example' }), 'mine/1')
  assert.equal(userAgentOf({ userAgent: 'mine/1', contact }), `mine/1 (+${contact})`)
})

test('the page about the bot names the robots.txt rule and the contact, and contains no markup of the operator', () => {
  const page = botPage('https://me.example/?a="><script>', 'kscrape')
  assert.match(page, /User-agent: kscrape\nDisallow: \//)
  assert.match(page, /href="https:\/\/me\.example\/\?a=&quot;&gt;&lt;script&gt;"/)
  assert.match(botPage('bot@me.example', 'kscrape'), /href="mailto:bot@me\.example"/)
  assert.match(botPage(undefined, '<b>'), /named no contact[\s\S]*$/)
  assert.doesNotMatch(botPage(undefined, '<b>'), /<b>/)
})
