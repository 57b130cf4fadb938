// Tests that e-mails are sent to a mail server, and that a refused e-mail is retried.
import assert from 'node:assert/strict'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import type { Page } from '../../model/page/page.ts'
import { withMail } from './send-mail.ts'

const timeouts = { connectMs: 10_000, headersMs: 10_000, idleMs: 10_000, totalMs: 10_000 }
const never = new AbortController().signal
const request = {
  ...{ url: 'mailto:ann%40shop.example,bob%40shop.example', timeouts, maxBytes: 1_000 },
  body: JSON.stringify({ subject: 'Prices: 1 changed', text: 'changed: https://shop.example/a' }),
}

/** A fake mail server. It answers 550 to unknown addresses. */
async function openMailServer() {
  const heard: string[] = []
  const serve = (socket: Socket) => {
    let isData = false
    socket.write('220 mail.example\r\n')
    socket.on('data', bytes => {
      for (const line of bytes.toString().split('\r\n').filter(Boolean)) {
        heard.push(line)
        if (isData && line !== '.') continue
        if (line === '.') isData = false
        if (line === 'DATA') isData = true
        const isUnknown = line.startsWith('RCPT') && line.includes('nobody')
        socket.write(isUnknown ? '550 unknown\r\n' : isData ? '354 go on\r\n' : '250 ok\r\n')
      }
    })
    socket.on('error', () => {})
  }
  const server = createServer(serve)
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  const url = `smtp://127.0.0.1:${(server.address() as AddressInfo).port}?ignoreTLS=true`
  return { heard, url, [Symbol.asyncDispose]: () => new Promise<void>(done => server.close(() => done())) }
}

const page = { status: 204 } as Page

test('an e-mail goes to the mail server, and other messages are sent over HTTP', async () => {
  await using server = await openMailServer()
  const fetch = withMail(async () => page, { smtpUrl: server.url, smtpFrom: 'watch@shop.example' })
  assert.equal((await fetch(request, never)).status, 250)
  const text = server.heard.join('\n')
  for (const part of [
    'MAIL FROM:<watch@shop.example>',
    'RCPT TO:<ann@shop.example>',
    'RCPT TO:<bob@shop.example>',
  ])
    assert.ok(text.includes(part), part)
  assert.match(text, /Subject: Prices: 1 changed/)
  assert.match(text, /changed: https:\/\/shop\.example\/a/)
  assert.equal((await fetch({ ...request, url: 'https://hooks.example/' }, never)).status, 204)
})

test('if an e-mail is refused, or no mail server is configured, the failure says why', async () => {
  await using server = await openMailServer()
  const fetch = withMail(async () => page, { smtpUrl: server.url, smtpFrom: undefined })
  const nobody = { ...request, url: 'mailto:nobody%40shop.example' }
  await assert.rejects(() => fetch(nobody, never), /did not accept the e-mail: .*550 unknown/)
  const none = withMail(async () => page, { smtpUrl: undefined, smtpFrom: undefined })
  await assert.rejects(() => none(request, never), /SCRAPER_SMTP_URL/)
})
