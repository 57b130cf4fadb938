// Kill points: for fault tests, the process ends itself without warning at the n-th pass of a named point.
import type { Mark } from '../pipeline/coordinate/context.ts'

export function armKillPoint(spec: string | undefined): Mark {
  if (!spec) return () => {}
  const [name, count] = spec.split(':')
  let left = Number(count)
  return point => {
    if (point === name && --left === 0) process.kill(process.pid, 'SIGKILL')
  }
}
