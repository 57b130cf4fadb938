// Results of certification, stored beside the scrapers. A certificate lapses when its scraper changes.
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readTextFile } from '../../lib/text/text-file.ts'
import { Failure } from '../../model/failures.ts'
import type { Entry } from './catalogue.ts'
import { contentHash } from './source-files.ts'

export interface Check {
  name: string
  passed: boolean
  note: string
}

/** A certificate as stored in the file. */
export interface Certificate {
  version: string
  hash: string
  certified_at: string
  passed: boolean
  checks: Check[]
}

/** `built-in`: part of the program, not certified on this machine. `lapsed`: the scraper or its golden pages changed. */
export type Standing = 'certified' | 'failed' | 'lapsed' | 'never' | 'built-in'

const pathIn = (folder: string): string => join(folder, '.certified.json')

export function readCertificates(folder: string): Record<string, Certificate> {
  const path = pathIn(folder)
  if (!existsSync(path)) return {}
  try {
    return JSON.parse(readTextFile(path)) as Record<string, Certificate>
  } catch (cause) {
    throw new Failure('input.invalid', `${path} is damaged; delete it and certify again`, { path }, { cause })
  }
}

/** Atomic: a reader sees either the old certificates or the new ones. */
export function keepCertificate(folder: string, id: string, certificate: Certificate): void {
  const all = { ...readCertificates(folder), [id]: certificate }
  const sorted = Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)))
  mkdirSync(folder, { recursive: true })
  const draft = `${pathIn(folder)}.${process.pid}`
  writeFileSync(draft, `${JSON.stringify(sorted, null, 2)}\n`)
  renameSync(draft, pathIn(folder))
}

export function standingOf(folder: string, entry: Entry, certificate?: Certificate): Standing {
  if (!certificate) return entry.file === null ? 'built-in' : 'never'
  const isSame =
    certificate.version === entry.scraper.version && certificate.hash === contentHash(folder, entry)
  if (!isSame) return 'lapsed'
  return certificate.passed ? 'certified' : 'failed'
}
