// Tests the egress gate in real fetches: the DNS and redirect vectors, with servers that log connections.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { type Address, EgressGate, openHttpFetch, type Resolver } from '../../src/fetch/http/index.ts'
import type { FailureCode } from '../../src/model/failures.ts'
import type { Page } from '../../src/model/page/page.ts'
import { failing, get, testTimeouts } from '../fetching.ts'

interface DnsAnswer {
  A?: string[]
  AAAA?: string[]
}

interface DnsSetup extends DnsAnswer {
  sequence?: DnsAnswer[]
  rcode?: string
  delay_ms?: number
}

interface Hop {
  status: number
  location?: string
}

interface Vector {
  id: string
  kind: string
  surface: string
  input: string
  expect: string
  reason: string
  setup: { dns?: DnsSetup; hops?: Hop[] }
}

const file = new URL('../vectors/ssrf.json', import.meta.url)
const { vectors } = JSON.parse(readFileSync(file, 'utf8')) as { vectors: Vector[] }
const targets = vectors.filter(({ surface }) => surface === 'target_url')

const codes: Record<string, FailureCode> = {
  deny: 'address.refused',
  'error:dns': 'dns.not-found',
  'error:timeout': 'connect.timeout',
  'error:too_many_redirects': 'redirect.too-many',
}

const publicAddress = '93.184.216.34'
const outsideAddress = '127.0.0.2'
const insideAddress = '127.0.0.3'

/**
 * Checks as usual, then redirects allowed connections to loopback: the public address to `outside`, any other to `inside`.
 */
class LabGate extends EgressGate {
  override async resolve(host: string, port: number): Promise<Address[]> {
    const judged = await super.resolve(host, port)
    return judged.map(({ address }) => ({
      address: address === publicAddress ? outsideAddress : insideAddress,
      family: 4,
    }))
  }
}

interface Listener extends AsyncDisposable {
  port: number
  visits: IncomingHttpHeaders[]
}

/** The server closes each connection after its response, so that every request is resolved and checked again. */
async function listen(address: string, port: number, answer: (visit: number) => Hop): Promise<Listener> {
  const visits: IncomingHttpHeaders[] = []
  const server = createServer((request, response) => {
    const { status, location } = answer(visits.length)
    visits.push(request.headers)
    response
      .writeHead(status, { connection: 'close', ...(location !== undefined && { location }) })
      .end('a page')
  })
  await new Promise<void>(resolve => server.listen(port, address, resolve))
  const close = async () => {
    server.closeAllConnections()
    server.close()
  }
  return { port: (server.address() as AddressInfo).port, visits, [Symbol.asyncDispose]: close }
}

/** `outside` and `elsewhere` stand for servers on the internet. `inside` and `secret` must never get a connection. */
async function openLab(resolve: Resolver, hops: Hop[] = []) {
  await using stack = new AsyncDisposableStack()
  const page = () => ({ status: 200 })
  const inside = stack.use(await listen(insideAddress, 0, page))
  const secret = stack.use(await listen('127.0.0.1', 0, page))
  const inLab = (url: string) =>
    url
      .replace('PORT', String(secret.port))
      .replace('https://start.test.example:8443', `http://start.test.example:${elsewhere.port}`)
      .replace(/^(http:\/\/[\w-]+\.test\.example)\//, `$1:${inside.port}/`)
  const nextHop = (visit: number): Hop => {
    const { status, location } = hops[visit] ?? { status: 200 }
    return location === undefined ? { status } : { status, location: inLab(location) }
  }
  // `inside` starts first, because `outside` needs the same port on another address.
  const outside = stack.use(await listen(outsideAddress, inside.port, nextHop))
  const elsewhere = stack.use(await listen(outsideAddress, 0, page))
  const gate = new LabGate({ allowPrivate: [], resolve, dnsCacheMs: 0 })
  const http = stack.use(openHttpFetch({ gate, userAgent: 'test' }))
  const opened = stack.move()
  return {
    outside,
    elsewhere,
    ask: (url: string): Promise<Page> => get(http.fetch, inLab(url), { headers: secrets, timeouts }),
    seenInside: () => inside.visits.length + secret.visits.length,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

const secrets = { Authorization: 'Bearer s', Cookie: 'c=1', 'X-Api-Key': 'k' }
const timeouts = { ...testTimeouts, connectMs: 1_000 }

const answersOf = ({ A = [], AAAA = [] }: DnsAnswer): Address[] => [
  ...A.map(address => ({ address, family: 4 })),
  ...AAAA.map(address => ({ address, family: 6 })),
]

function resolverFor({ sequence = [], rcode, delay_ms: delayMs, ...answer }: DnsSetup): Resolver {
  const answers = [...sequence]
  return async () => {
    if (delayMs !== undefined) await new Promise(() => {})
    if (rcode === 'NXDOMAIN') throw Object.assign(new Error(rcode), { code: 'ENOTFOUND' })
    return answersOf(answers.shift() ?? answer)
  }
}

/** All names in the redirect vectors are public, except `rebind…`, which resolves to a private address. */
const redirectNames: Resolver = async host =>
  answersOf({ A: [host.startsWith('rebind') ? '127.0.0.1' : publicAddress] })

const byKind = (kind: string) => targets.filter(vector => vector.kind === kind)
const isAllowed = ({ expect }: Vector) => expect === 'allow'

for (const { id, input, expect, reason, setup } of byKind('dns').filter(vector => !isAllowed(vector))) {
  test(`${id}: the result of the DNS lookup must give "${expect}" (${reason})`, async () => {
    await using lab = await openLab(resolverFor(setup.dns!))
    const harmlessAttempts = (setup.dns!.sequence?.length ?? 1) - 1
    for (let i = 0; i < harmlessAttempts; i++) await lab.ask(input)
    const failure = await failing(lab.ask(input), codes[expect]!)
    assert.doesNotMatch(JSON.stringify(failure), /127\.0|169\.254|10\.0\.0|93\.184|::1/)
    assert.equal(lab.outside.visits.length, harmlessAttempts)
    assert.equal(lab.seenInside(), 0)
  })
}

for (const { id, input, reason, setup } of byKind('dns').filter(isAllowed)) {
  test(`${id}: the request is allowed, goes to the checked address and keeps the host name (${reason})`, async () => {
    await using lab = await openLab(resolverFor(setup.dns!))
    await lab.ask(input)
    assert.match(lab.outside.visits[0]!.host!, new RegExp(`^${new URL(input).hostname}:`))
  })
}

for (const { id, input, expect, reason, setup } of byKind('redirect').filter(vector => !isAllowed(vector))) {
  test(`${id}: the redirect must give "${expect}" (${reason})`, async () => {
    await using lab = await openLab(redirectNames, setup.hops)
    const failure = await failing(lab.ask(input), codes[expect]!)
    assert.equal(lab.seenInside(), 0)
    assert.ok(lab.outside.visits.length <= 11)
    if (expect !== 'deny') return
    assert.equal(failure.details.hop, setup.hops!.length)
    assert.match(failure.message, new RegExp(`Redirect ${setup.hops!.length} `))
  })
}

for (const { id, input, reason, setup } of byKind('redirect').filter(isAllowed)) {
  test(`${id}: the redirect is allowed, without the secret headers (${reason})`, async () => {
    await using lab = await openLab(redirectNames, setup.hops)
    const page = await lab.ask(input)
    assert.equal(page.hops.length, 1)
    const [first, second] = [...lab.outside.visits, ...lab.elsewhere.visits] as [
      IncomingHttpHeaders,
      IncomingHttpHeaders,
    ]
    for (const name of Object.keys(secrets).map(key => key.toLowerCase())) {
      assert.ok(first[name] !== undefined, name)
      assert.equal(second[name], undefined, name)
    }
  })
}

test('a host name is refused if it resolves to a private address on the second lookup', async () => {
  const answers = [publicAddress, '::ffff:127.0.0.1', '0.0.0.0', 'fe80::1', '100.100.100.200']
  await using lab = await openLab(async () => [{ address: answers.shift()!, family: 4 }])
  await lab.ask('http://turning.test.example/')
  while (answers.length > 0) await failing(lab.ask('http://turning.test.example/'), 'address.refused')
  assert.equal(lab.seenInside(), 0)
})
