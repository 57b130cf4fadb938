// Faults of the soak test: pages of the demo site that harm a browser, and signals to the browser itself.

export type Trouble = { kind: 'page'; path: string } | { kind: 'signal'; signal: 'SIGKILL' | 'SIGSTOP' }

export const troubles: Trouble[] = [
  { kind: 'page', path: '/hostile/busy-at-once' },
  { kind: 'page', path: '/hostile/busy-after-load' },
  { kind: 'page', path: '/hostile/alerts' },
  { kind: 'page', path: '/hostile/reload' },
  { kind: 'page', path: '/hostile/go-on' },
  { kind: 'page', path: '/hostile/popups' },
  { kind: 'page', path: '/hostile/heap' },
  { kind: 'page', path: '/endless' },
  { kind: 'page', path: '/slow/never-ends' },
  { kind: 'signal', signal: 'SIGKILL' },
  { kind: 'signal', signal: 'SIGSTOP' },
]

export const nameOf = (trouble: Trouble): string => (trouble.kind === 'page' ? trouble.path : trouble.signal)

/** The fault of a page: one page in `every` has a fault, and the faults take turns. */
export function troubleAt(page: number, every: number): Trouble | null {
  return page % every === every - 1 ? troubles[Math.floor(page / every) % troubles.length]! : null
}
