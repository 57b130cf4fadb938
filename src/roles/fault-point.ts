// Fault points: in fault tests, the process kills itself when it passes a named point for the n-th time.
import type { Mark } from '../pipeline/coordinate/context.ts'

export function armFaultPoint(spec: string | undefined): Mark {
  if (!spec) return () => {}
  const [name, count] = spec.split(':')
  let left = Number(count)
  return point => {
    if (point === name && --left === 0) process.kill(process.pid, 'SIGKILL')
  }
}
