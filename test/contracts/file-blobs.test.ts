// Blobs on the file system against the contract.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openFileBlobs } from '../../src/adapters/fs/blobs.ts'
import { blobsContract } from './blobs-contract.ts'

blobsContract('the file system', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'kscrape-blobs-'))
  const again = () => openFileBlobs(join(directory, 'blobs'))
  const blobs = await again()
  return {
    blobs,
    again,
    async [Symbol.asyncDispose]() {
      await blobs[Symbol.asyncDispose]()
      rmSync(directory, { recursive: true })
    },
  }
})
