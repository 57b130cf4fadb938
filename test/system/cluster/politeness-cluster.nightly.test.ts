// Tests politeness over several workers with more hosts and pages, with and without a worker that stalls.
import { testPoliteness } from './polite-workers.ts'

for (const stutter of [false, true]) testPoliteness({ stutter, hosts: 20, each: 20 })
