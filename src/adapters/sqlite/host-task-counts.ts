// Counts tasks per job and host, with host names.
import type { Names } from './names.ts'

interface HostTaskCounts {
  add(jobNo: number, hostNo: number, count?: number): void
  rows(): Array<{ jobId: string; host: string; count: number }>
}

export function hostTaskCounts(jobIdOf: (jobNo: number) => string, names: Names): HostTaskCounts {
  const jobs = new Map<number, Map<number, number>>()
  return {
    add(jobNo, hostNo, count = 1) {
      const hosts = jobs.get(jobNo) ?? new Map<number, number>()
      if (hosts.size === 0) jobs.set(jobNo, hosts)
      hosts.set(hostNo, (hosts.get(hostNo) ?? 0) + count)
    },
    rows: () =>
      [...jobs].flatMap(([jobNo, hosts]) =>
        [...hosts].map(([hostNo, count]) => ({ jobId: jobIdOf(jobNo), host: names.textOf(hostNo), count })),
      ),
  }
}
