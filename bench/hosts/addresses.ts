// Ten thousand hosts on one machine: every address of 127.0.0.0/8 is local, and a host is an address with a port.

/** 127.0.0.1, 127.0.0.2, … without addresses that end in 0 or 255. */
export const hostAddress = (index: number): string =>
  `127.${Math.floor(index / 64_516)}.${Math.floor(index / 254) % 254}.${(index % 254) + 1}`

/** Policies that differ from host to host. None of them limits the rate. */
export function policiesFor(hosts: number): string {
  const entries = Array.from({ length: hosts }, (_, index) => `"${hostAddress(index)}": ${policyOf(index)}`)
  return ['default: { rate: unlimited }', ...entries].join('\n')
}

function policyOf(index: number): string {
  const concurrency = index === 0 ? 64 : 1 + (index % 3)
  const cooldown = 60 + (index % 50)
  return `{ concurrency: ${concurrency}, backoff: { duration: ${cooldown}s }, breaker: { failures: ${3 + (index % 5)}, cooldown: ${cooldown}s } }`
}
