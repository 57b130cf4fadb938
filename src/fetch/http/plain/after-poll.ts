// Runs callbacks after the event loop has polled once more. All callbacks of one loop iteration share a timer.

let added: Array<() => void> = []
let polled: Array<() => void> = []

/** `setImmediate` alone is not enough. If it is called while the loop handles events, its callback runs before the next
 *  poll. */
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
