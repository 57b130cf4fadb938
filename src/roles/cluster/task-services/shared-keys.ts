// Keys that all processes of a cluster share. They are derived from the cluster secret and written to the usual key files.
import { hkdfSync } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { oldKeyName, openSealer, sealerWith } from '../../../adapters/fs/sealer.ts'
import type { Settings } from '../../../config/settings.ts'
import type { Sealer } from '../../../ports/secrets.ts'

const keyBytes = 32
const files = ['seal.key', 'upload-key'] as const

export function layKeys({ dataDir, clusterSecret, otherClusterSecret }: Settings): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  if (clusterSecret === undefined) return
  for (const file of files) writeFileSync(join(dataDir, file), keyOf(clusterSecret, file), { mode: 0o600 })
  const old = join(dataDir, oldKeyName)
  if (otherClusterSecret === undefined) rmSync(old, { force: true })
  else writeFileSync(old, keyOf(otherClusterSecret, 'seal.key'), { mode: 0o600 })
}

const keyOf = (clusterSecret: string, file: (typeof files)[number]): Buffer =>
  Buffer.from(hkdfSync('sha256', clusterSecret, 'kscrape', file, keyBytes))

/** The sealer of the cluster. Does not write the key into the data directory, which may belong to another process. */
export const clusterSealer = ({ dataDir, clusterSecret, otherClusterSecret: other }: Settings): Sealer =>
  clusterSecret === undefined
    ? openSealer(dataDir)
    : sealerWith(
        'SCRAPER_CLUSTER_SECRET',
        () => keyOf(clusterSecret, 'seal.key'),
        () => (other === undefined ? null : keyOf(other, 'seal.key')),
      )
