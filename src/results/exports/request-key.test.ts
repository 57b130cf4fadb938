// Tests that the index keys of requests with bodies equal those of warcio.
import assert from 'node:assert/strict'
import test from 'node:test'
import { postToGetUrl } from 'warcio'
import { indexedRequest } from './request-key.ts'

const bodies: Array<[type: string, body: string]> = [
  ['application/x-www-form-urlencoded', 'a=1&b=two%20words'],
  ['application/x-www-form-urlencoded', 'broken=%E0%A4%A'],
  ['application/json', '{"q":"shoes","filter":{"size":[41,42],"sale":true,"none":null},"q2":""}'],
  ['application/json; charset=utf-8', 'not json'],
  ['text/plain', '{"a":{"a":{"a":1}}}'],
  ['text/plain;charset=UTF-8', 'plain words'],
  [
    'multipart/form-data; boundary=xyz',
    '--xyz\r\nContent-Disposition: form-data; name="f"\r\n\r\nvalue\r\n--xyz--\r\n',
  ],
  ['application/octet-stream', '\u0000\u0001binary'],
  ['', ''],
]

for (const [type, body] of bodies)
  test(`a body of type "${type}" has the key that warcio gives it: ${JSON.stringify(body.slice(0, 20))}`, () => {
    for (const url of ['https://shop.example/api', 'https://shop.example/api?v=1']) {
      const theirs = {
        url,
        method: 'POST',
        headers: new Headers({ 'content-type': type }),
        postData: Buffer.from(body),
      }
      postToGetUrl(theirs as never)
      const ours = indexedRequest('POST', url, type, Buffer.from(body))
      assert.equal(ours.url, theirs.url)
      assert.equal(ours.requestBody, (theirs as { requestBody?: string }).requestBody)
    }
  })
