// Tests which addresses are public, over whole ranges and in every notation.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { isPublicAddress } from './addresses.ts'

const dotted = (value: number) => [24, 16, 8, 0].map(shift => (value >>> shift) & 255).join('.')
const hexPair = (value: number) => `${(value >>> 16).toString(16)}:${(value & 0xffff).toString(16)}`

const deniedRanges: [first: string, bits: number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  ['168.63.129.16', 32],
]

const deniedIpv4 = fc
  .tuple(fc.constantFrom(...deniedRanges), fc.nat())
  .map(([[first, bits], seed]) => {
    const size = 2 ** (32 - bits)
    return first.split('.').reduce((sum, part) => sum * 256 + Number(part), 0) + (seed % size)
  })
  .map(value => value >>> 0)

test('no address of a special IPv4 range is public, neither in dotted form, nor mapped into IPv6, nor behind NAT64', () => {
  fc.assert(
    fc.property(deniedIpv4, value => {
      assert.equal(isPublicAddress(dotted(value)), false)
      assert.equal(isPublicAddress(`::ffff:${dotted(value)}`), false)
      assert.equal(isPublicAddress(`::ffff:${hexPair(value)}`), false)
      assert.equal(isPublicAddress(`64:ff9b::${hexPair(value)}`), false)
      assert.equal(isPublicAddress(`::${hexPair(value)}`), false)
    }),
  )
})

test('an IPv4 address gets the same decision in dotted form, mapped into IPv6 and behind NAT64', () => {
  fc.assert(
    fc.property(fc.ipV4(), ip => {
      const isPublic = isPublicAddress(ip)
      assert.equal(isPublicAddress(`::ffff:${ip}`), isPublic)
      assert.equal(isPublicAddress(`64:ff9b::${ip}`), isPublic)
      assert.equal(isPublicAddress(`0:0:0:0:0:FFFF:${ip}`), isPublic)
    }),
  )
})

test('addresses next to the special ranges are public', () => {
  const neighbours = [
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
  ]
  const more = [
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
    '192.169.0.0',
    '223.255.255.255',
    '168.63.129.17',
  ]
  for (const ip of [...neighbours, ...more, '192.31.196.1', '198.17.255.255', '198.20.0.0']) {
    assert.equal(isPublicAddress(ip), true, ip)
  }
})

test('only allocated, global IPv6 addresses are public', () => {
  for (const ip of [
    '2606:4700:4700::1111',
    '2a00:1450:4001:82a::200e',
    '2001:4860:4860::8888',
    '2400:cb00::1',
  ]) {
    assert.equal(isPublicAddress(ip), true, ip)
  }
  const special = [
    '::',
    '::1',
    'fe80::1',
    'fec0::1',
    'fd00:ec2::254',
    'fc00::1',
    'ff02::1',
    '100::1',
    '5f00::1',
  ]
  const transition = [
    '2002:7f00:1::',
    '2001::1',
    '2001:db8::1',
    '3fff::1',
    '64:ff9b:1::1',
    '::ffff:0:8.8.8.8',
  ]
  for (const ip of [...special, ...transition]) assert.equal(isPublicAddress(ip), false, ip)
})

test('an invalid address is not public', () => {
  fc.assert(fc.property(fc.domain(), text => assert.equal(isPublicAddress(text), false)))
  for (const text of ['', '1.2.3', '8.8.8.8 ', '08.8.8.8', '2606:4700::1%eth0', ':::', '8.8.8.8/8']) {
    assert.equal(isPublicAddress(text), false, text)
  }
})
