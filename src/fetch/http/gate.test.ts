// Tests the decisions of the egress gate: every static vector, exceptions of the operator, and DNS results.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { failing } from '../../../test/fetching.ts'
import { Failure } from '../../model/failures.ts'
import { EgressGate } from './gate.ts'

interface StaticVector {
  id: string
  kind: string
  input: string
  expect: string
  reason: string
}

const vectorFile = new URL('../../../test/vectors/ssrf.json', import.meta.url)
const vectors = (JSON.parse(readFileSync(vectorFile, 'utf8')) as { vectors: StaticVector[] }).vectors
const closed = new EgressGate({ allowPrivate: [] })

function verdict(gate: EgressGate, url: string): 'allow' | Failure {
  try {
    gate.judgeUrl(url)
    return 'allow'
  } catch (error) {
    assert.ok(error instanceof Failure)
    return error
  }
}

for (const { id, input, expect, reason } of vectors.filter(({ kind }) => kind === 'static')) {
  test(`${id}: the gate must ${expect} ${JSON.stringify(input)} (${reason})`, () => {
    const result = verdict(closed, input)
    if (expect === 'allow') assert.equal(result, 'allow')
    else assert.ok(result instanceof Failure && ['address.refused', 'input.invalid'].includes(result.code))
  })
}

test('an allowed host:port can be requested, other ports of this host cannot', () => {
  const gate = new EgressGate({ allowPrivate: ['127.0.0.1:8080', 'localhost:80', '[::1]:9200'] })
  for (const url of [
    'http://127.0.0.1:8080/x',
    'http://LOCALHOST/',
    'http://localhost./',
    'http://[::1]:9200/',
  ]) {
    assert.equal(verdict(gate, url), 'allow', url)
  }
  for (const url of ['http://127.0.0.1/', 'http://127.0.0.2:8080/', 'https://localhost/', 'http://[::1]/']) {
    assert.notEqual(verdict(gate, url), 'allow', url)
  }
})

test('an allowed address that is not host:port is refused with an example', () => {
  for (const text of ['localhost', '127.0.0.1:', 'http://127.0.0.1:80', '', '127.0.0.1:99999']) {
    assert.throws(() => new EgressGate({ allowPrivate: [text] }), /127\.0\.0\.1:8080/)
  }
})

test('credentials and the trailing dot are removed from the URL before the request', () => {
  assert.equal(closed.judgeUrl('https://user:secret@example.com./a?b#c').href, 'https://example.com/a?b#c')
})

test('a user name without a password, or a password without a user name, is removed too', () => {
  assert.equal(closed.judgeUrl('https://user@example.com/').href, 'https://example.com/')
  assert.equal(closed.judgeUrl('https://:secret@example.com/').href, 'https://example.com/')
})

test('a refusal names the host:port to allow, with brackets only around IPv6', () => {
  const messageOf = (url: string) => (verdict(closed, url) as Failure).message
  assert.match(messageOf('http://[::1]:8080/'), /--allow-private \[::1\]:8080 /)
  assert.match(messageOf('http://127.0.0.1:8080/'), /--allow-private 127\.0\.0\.1:8080 /)
  assert.equal(verdict(new EgressGate({ allowPrivate: ['[::1]:8080'] }), 'http://[::1]:8080/'), 'allow')
})

test('usual web ports are allowed on public hosts, ports of other services are not', () => {
  for (const port of [80, 443, 3000, 5000, 8000, 8080, 8443, 8888, 9000, 9090]) {
    assert.equal(verdict(closed, `http://example.com:${port}/`), 'allow')
  }
  for (const port of [21, 22, 25, 3306, 5432, 6379, 9200, 11211, 27017]) {
    assert.notEqual(verdict(closed, `http://example.com:${port}/`), 'allow')
  }
})

test('the egress gate allows or refuses any text, and never throws', () => {
  fc.assert(fc.property(fc.oneof(fc.string(), fc.webUrl()), text => void verdict(closed, text)))
})

test('a host name is allowed only if all its addresses are public', async () => {
  const gate = new EgressGate({
    allowPrivate: [],
    resolve: async () => [
      { address: '93.184.216.34', family: 4 },
      { address: '10.0.0.1', family: 4 },
    ],
  })
  const failure = await failing(gate.resolve('two.example.com', 80), 'address.refused')
  assert.doesNotMatch(JSON.stringify(failure), /10\.0\.0\.1|93\.184/)
})

test('DNS is queried once while its answer is valid, and each port is checked separately', async () => {
  let asked = 0
  const gate = new EgressGate({
    allowPrivate: ['inside.example.com:8080'],
    resolve: async () => {
      asked++
      return [{ address: '192.168.1.7', family: 4 }]
    },
  })
  const [first, second] = await Promise.all([
    gate.resolve('inside.example.com', 8080),
    gate.resolve('inside.example.com', 8080),
  ])
  assert.deepEqual(first, second)
  await failing(gate.resolve('inside.example.com', 80), 'address.refused')
  assert.equal(asked, 1)
})

test('a failed DNS lookup is not cached', async () => {
  const answers = [
    Promise.reject(new Error('EAI_AGAIN')),
    Promise.resolve([{ address: '1.1.1.1', family: 4 }]),
  ]
  const gate = new EgressGate({ allowPrivate: [], resolve: () => answers.shift()! })
  await assert.rejects(gate.resolve('flaky.example.com', 443))
  assert.deepEqual(await gate.resolve('flaky.example.com', 443), [{ address: '1.1.1.1', family: 4 }])
})

test('a host name without any address is not found', async () => {
  const gate = new EgressGate({ allowPrivate: [], resolve: async () => [] })
  await failing(gate.resolve('empty.example.com', 443), 'dns.not-found')
})

test('an IP address resolves to itself, without DNS', async () => {
  const gate = new EgressGate({ allowPrivate: [], resolve: () => assert.fail('DNS was asked') })
  assert.deepEqual(await gate.resolve('1.1.1.1', 443), [{ address: '1.1.1.1', family: 4 }])
  assert.deepEqual(await gate.resolve('2606:4700::1111', 443), [{ address: '2606:4700::1111', family: 6 }])
})

test('an expired DNS answer is queried again', async () => {
  let asked = 0
  const resolve = async () => [{ address: `1.1.1.${++asked}`, family: 4 }]
  const gate = new EgressGate({ allowPrivate: [], resolve, dnsCacheMs: 0 })
  await gate.resolve('a.example.com', 443)
  assert.deepEqual(await gate.resolve('a.example.com', 443), [{ address: '1.1.1.2', family: 4 }])
})

test('the gate caches ten thousand names, and evicts the oldest first', async () => {
  const asked: string[] = []
  const resolve = async (host: string) => {
    asked.push(host)
    return [{ address: '1.1.1.1', family: 4 }]
  }
  const gate = new EgressGate({ allowPrivate: [], resolve })
  for (let n = 0; n <= 10_000; n++) await gate.resolve(`h${n}.example.com`, 443)
  asked.length = 0
  await gate.resolve('h1.example.com', 443)
  await gate.resolve('h0.example.com', 443)
  assert.deepEqual(asked, ['h0.example.com'])
})
