// The machine a measurement was made on, in one line.
import { cpus, loadavg, release, totalmem } from 'node:os'

export function machine(): string {
  const processors = cpus()
  const memoryGb = Math.round(totalmem() / 2 ** 30)
  // The version without the build of the kernel.
  const [linux] = /^\d+\.\d+/.exec(release()) ?? [release()]
  const model = processors[0]?.model.trim() ?? 'unknown processor'
  return `${processors.length} cores (${model}), ${memoryGb} GB, Linux ${linux}, Node ${process.versions.node}`
}

/** A load above the number of cores means that other work was running: ratios still hold, absolute numbers do not. */
export function loadNow(): string {
  return loadavg()[0]!.toFixed(1)
}

export function today(): string {
  return new Date().toISOString().slice(0, 10)
}
