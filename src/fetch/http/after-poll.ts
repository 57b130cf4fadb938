// Runs callbacks after the event loop has polled once more. All callbacks of one loop share a timer.

let added: Array<() => void> = []
let polled: Array<() => void> = []

/** `setImmediate` alone may run before the next poll: called while the loop handles events, it runs right after them. */
export function afterPoll(callback: () => void): void {
  if (added.length === 0 && polled.length === 0) setImmediate(run)
  added.push(callback)
}

function run(): void {
  const due = polled
  polled = added
  added = []
  if (polled.length > 0) setImmediate(run)
  for (const callback of due) callback()
}
