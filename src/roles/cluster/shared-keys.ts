// Keys that all processes of a cluster must have in common: made from its secret, and laid where each looks for them.
import { hkdfSync } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Settings } from '../../config/settings.ts'

const keyBytes = 32
const files = ['seal.key', 'upload-key']

export function layKeys({ dataDir, clusterSecret }: Settings): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  if (clusterSecret === undefined) return
  for (const file of files) {
    const key = Buffer.from(hkdfSync('sha256', clusterSecret, 'kscrape', file, keyBytes))
    writeFileSync(join(dataDir, file), key, { mode: 0o600 })
  }
}
