// The types of the SSRF vectors: the tested surface, the input and the expected result of each.
import { readFileSync } from 'node:fs'

export interface DnsAnswer {
  A?: string[]
  AAAA?: string[]
}

export interface DnsSetup extends DnsAnswer {
  sequence?: DnsAnswer[]
  rcode?: string
  delay_ms?: number
}

export interface Hop {
  status: number
  location?: string
  body?: string
}

export interface Vector {
  id: string
  kind: 'static' | 'dns' | 'redirect' | 'surface'
  surface: string
  input: string
  expect: string
  reason: string
  setup: { dns?: DnsSetup; hops?: Hop[] }
}

export function ssrfVectors(kind: Vector['kind']): Vector[] {
  const file = JSON.parse(readFileSync(new URL('ssrf.json', import.meta.url), 'utf8')) as { vectors: Vector[] }
  return file.vectors.filter(vector => vector.kind === kind)
}
