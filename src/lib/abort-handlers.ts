// Handlers for signals that live long and get many handlers, one after the other, such as the signal of a job.
//
// Each signal has only one event listener, because a listener that `removeEventListener` has removed still refers to the next
// listener. If one of them is in V8's old generation, it keeps all later listeners and their requests in memory until V8 collects
// the whole heap. In a crawl, this caused five times as many collections of the whole heap, and took a quarter more CPU time.
// The handlers are in an array, because a `Set` has a similar problem: when it grows, its old table refers to the new one.

type Handler = () => void

/** Each signal has one listener. It calls the handlers of this list. */
const handlers = new WeakMap<AbortSignal, Handler[]>()

/** Calls `handler` when the signal aborts. The signal must not be aborted yet. */
export function onAbort(signal: AbortSignal, handler: Handler): void {
  const known = handlers.get(signal)
  if (known) known.push(handler)
  else listen(signal, [handler])
}

export function offAbort(signal: AbortSignal, handler: Handler): void {
  const known = handlers.get(signal)
  const at = known?.indexOf(handler) ?? -1
  if (!known || at < 0) return
  const last = known.pop()!
  if (at < known.length) known[at] = last
}

function listen(signal: AbortSignal, own: Handler[]): void {
  handlers.set(signal, own)
  const callAll = () => {
    // A handler may remove others, so each one is removed before its call.
    for (let next = own.pop(); next; next = own.pop()) next()
  }
  signal.addEventListener('abort', callAll, { once: true })
}
