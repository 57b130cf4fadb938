// Decides which addresses are public. Only this file lists the special ranges.
import { BlockList, isIPv4, isIPv6 } from 'node:net'

/** Ranges of IANA's special-purpose registry that are not globally reachable, and Azure's metadata address. */
export const specialIpv4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]

/** Special ranges within 2000::/3. All addresses outside 2000::/3 are local, special or unassigned, so they need no
 *  list. */
export const specialIpv6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']

const specialRanges = blockListOf(specialIpv4, specialIpv6)
const globalUnicast = blockListOf([], ['2000::/3'])

function blockListOf(ipv4: string[], ipv6: string[]): BlockList {
  const list = new BlockList()
  for (const range of ipv4) list.addSubnet(...prefixOf(range), 'ipv4')
  for (const range of ipv6) list.addSubnet(...prefixOf(range), 'ipv6')
  return list
}

function prefixOf(range: string): [network: string, bits: number] {
  const slash = range.indexOf('/')
  return [range.slice(0, slash), Number(range.slice(slash + 1))]
}

/** Whether an address is public. Connections to other addresses need the operator's permission. Invalid text is not public. */
export function isPublicAddress(ip: string): boolean {
  if (isIPv4(ip)) return !specialRanges.check(ip, 'ipv4')
  if (!isIPv6(ip) || ip.includes('%')) return false
  const embedded = embeddedIpv4(groupsOf(ip))
  if (embedded !== null) return isPublicAddress(embedded)
  return globalUnicast.check(ip, 'ipv6') && !specialRanges.check(ip, 'ipv6')
}

/** The IPv4 address inside a mapped (::ffff:0:0/96) or NAT64 (64:ff9b::/96) address; null for other addresses. */
function embeddedIpv4(groups: number[]): string | null {
  const prefix = groups.slice(0, 6).join(':')
  if (prefix !== '0:0:0:0:0:65535' && prefix !== '100:65435:0:0:0:0') return null
  const [high, low] = groups.slice(6) as [number, number]
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`
}

/** The eight groups of an IPv6 address. `ip` must be an address that `isIPv6` accepts. */
function groupsOf(ip: string): number[] {
  const [head = '', tail] = ip.split('::')
  const before = partsOf(head)
  const after = partsOf(tail ?? '')
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length
  return [...before, ...Array<number>(zeros).fill(0), ...after]
}

function partsOf(text: string): number[] {
  if (text === '') return []
  return text.split(':').flatMap(part => (part.includes('.') ? pairOf(part) : [Number.parseInt(part, 16)]))
}

function pairOf(dotted: string): number[] {
  const [a, b, c, d] = dotted.split('.').map(Number) as [number, number, number, number]
  return [(a << 8) | b, (c << 8) | d]
}
