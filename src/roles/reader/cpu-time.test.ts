// Tests how the CPU time of a process is read on Linux.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cpuMsOf } from './cpu-time.ts'

const onLinux = { skip: process.platform === 'linux' ? false : 'only Linux has /proc' }

test('the CPU time of a process grows while it works', onLinux, () => {
  const before = cpuMsOf(process.pid)!
  const own = process.cpuUsage()
  while (process.cpuUsage(own).user < 50_000);
  const grown = cpuMsOf(process.pid)! - before
  // The kernel counts in steps of 10 ms.
  assert.ok(grown >= 30, `${grown} ms`)
})

test('a process that has ended has no CPU time', () => {
  assert.equal(cpuMsOf(2 ** 30), null)
})
