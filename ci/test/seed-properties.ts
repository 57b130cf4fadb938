// Loaded into every test file's process: gives fast-check the seed of the run.
import { readFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

const files = process.argv.slice(1).filter(file => file.endsWith('.test.ts'))
// Loads fast-check only for files that use it, because loading takes 90 ms.
if (isMainThread && files.some(file => readFileSync(file, 'utf8').includes('fast-check'))) {
  const { default: fc } = await import('fast-check')
  fc.configureGlobal({ seed: Number(process.env.TEST_SEED) })
}
