// Hooks that pages share: the session, loading a value, repeated calls, and lists that load more on demand.
import { createContext } from 'preact'
import { useCallback, useContext, useEffect, useRef, useState } from 'preact/hooks'
import { isUnauthorized, messageOf, type Session } from './api.ts'

export interface AppContext extends Session {
  signOut: (why?: string) => void
  /** Shows a short message at the edge of the window. */
  say: (message: string, tone?: 'ok' | 'bad') => void
}

export const SessionContext = createContext<AppContext | null>(null)

export function useSession(): AppContext {
  const session = useContext(SessionContext)
  if (!session) throw new Error('no session: useSession was called before a user signed in')
  return session
}

export interface Loaded<Value> {
  value: Value | null
  problem: string | null
  isLoading: boolean
  reload: () => void
  set: (change: (value: Value | null) => Value | null) => void
}

/** Loads when `keys` change. The old value is shown until the new one arrives. */
export function useLoad<Value>(load: () => Promise<Value>, keys: readonly unknown[]): Loaded<Value> {
  const { signOut } = useSession()
  const [state, setState] = useState<{ value: Value | null; problem: string | null; isLoading: boolean }>({
    ...{ value: null, problem: null, isLoading: true },
  })
  const [turn, setTurn] = useState(0)
  useEffect(() => {
    let isWanted = true
    setState(before => ({ ...before, isLoading: true }))
    load().then(
      value => isWanted && setState({ value, problem: null, isLoading: false }),
      error => {
        if (!isWanted) return
        if (isUnauthorized(error)) return signOut(messageOf(error))
        setState(before => ({ ...before, problem: messageOf(error), isLoading: false }))
      },
    )
    return () => {
      isWanted = false
    }
  }, [...keys, turn])
  const reload = useCallback(() => setTurn(before => before + 1), [])
  const set = useCallback(
    (change: (value: Value | null) => Value | null) =>
      setState(before => ({ ...before, value: change(before.value) })),
    [],
  )
  return { ...state, reload, set }
}

/** Calls `call` every `ms` milliseconds while the tab is visible, but not more often than every two seconds. */
export function useEvery(ms: number, call: () => void, isOn = true): void {
  const latest = useRef(call)
  latest.current = call
  useEffect(() => {
    if (!isOn) return
    let timer: number
    // Each wait starts after the call, so that a delayed timer is not followed at once by the next call.
    const wait = () => {
      timer = window.setTimeout(
        () => {
          if (!document.hidden) latest.current()
          wait()
        },
        Math.max(2_000, ms),
      )
    }
    wait()
    return () => clearTimeout(timer)
  }, [ms, isOn])
}

/** Returns a function that calls `call` at most once per `ms` milliseconds. The last call is never dropped. */
export function useThrottled(ms: number, call: () => void): () => void {
  const latest = useRef(call)
  latest.current = call
  const state = useRef<{ timer: number | undefined; at: number }>({ timer: undefined, at: 0 })
  useEffect(() => () => clearTimeout(state.current.timer), [])
  return useCallback(() => {
    const own = state.current
    if (own.timer !== undefined) return
    const waitMs = Math.max(0, own.at + ms - Date.now())
    own.timer = window.setTimeout(() => {
      own.timer = undefined
      own.at = Date.now()
      latest.current()
    }, waitMs)
  }, [ms])
}

/** Returns the value, delayed until it has not changed for `ms`. */
export function useSettled<Value>(value: Value, ms: number): Value {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return settled
}

/** Runs an action of the user and shows its result. Returns null if it failed. */
export function useAct(): <Result>(done: string, action: () => Promise<Result>) => Promise<Result | null> {
  const { say } = useSession()
  return useCallback(
    async (done, action) => {
      try {
        const result = await action()
        say(done)
        return result
      } catch (error) {
        say(messageOf(error), 'bad')
        return null
      }
    },
    [say],
  )
}

export interface Listing<Entry> {
  entries: Entry[]
  isLoading: boolean
  isDone: boolean
  problem: string | null
  more: () => void
  reload: () => void
  change: (change: (entries: Entry[]) => Entry[]) => void
}

const pulledAtOnce = 50
/** Milliseconds between two updates of the list while more entries are loaded. */
const shownEveryMs = 250

interface Source<Entry> {
  generator: AsyncGenerator<Entry>
  leaving: AbortController
  isBusy: boolean
}

/** A list of any length that loads as far as the user scrolls. The signal of `open` is aborted when the list is no longer
 *  shown. */
export function useListing<Entry>(
  open: (signal: AbortSignal) => AsyncGenerator<Entry>,
  keys: readonly unknown[],
): Listing<Entry> {
  const { signOut } = useSession()
  const source = useRef<Source<Entry> | null>(null)
  const [turn, setTurn] = useState(0)
  const [state, setState] = useState({
    ...{ entries: [] as Entry[], isLoading: true, isDone: false, problem: null as string | null },
  })
  const more = useCallback(() => {
    const own = source.current
    if (!own || own.isBusy) return
    own.isBusy = true
    setState(before => ({ ...before, isLoading: true }))
    const add = (found: Entry[]) => {
      if (found.length === 0 || own.leaving.signal.aborted) return
      setState(before => ({ ...before, entries: [...before.entries, ...found] }))
    }
    pull(own.generator, add).then(
      isDone => {
        own.isBusy = isDone
        if (!own.leaving.signal.aborted)
          setState(before => ({ ...before, isLoading: false, isDone, problem: null }))
      },
      error => {
        if (own.leaving.signal.aborted) return
        if (isUnauthorized(error)) return signOut(messageOf(error))
        setState(before => ({ ...before, isLoading: false, isDone: true, problem: messageOf(error) }))
      },
    )
  }, [signOut])
  useEffect(() => {
    const leaving = new AbortController()
    source.current = { generator: open(leaving.signal), leaving, isBusy: false }
    setState({ entries: [], isLoading: true, isDone: false, problem: null })
    more()
    return () => leaving.abort()
  }, [...keys, turn])
  const reload = useCallback(() => setTurn(before => before + 1), [])
  const change = useCallback(
    (change: (entries: Entry[]) => Entry[]) =>
      setState(before => ({ ...before, entries: change(before.entries) })),
    [],
  )
  return { ...state, more, reload, change }
}

/** Reads up to `pulledAtOnce` entries, and passes them to `add` as they arrive. Resolves with true at the end of the list. */
async function pull<Entry>(
  generator: AsyncGenerator<Entry>,
  add: (found: Entry[]) => void,
): Promise<boolean> {
  let waiting: Entry[] = []
  const show = () => {
    add(waiting)
    waiting = []
  }
  const timer = setInterval(show, shownEveryMs)
  try {
    for (let taken = 0; taken < pulledAtOnce; taken += 1) {
      const step = await generator.next()
      if (step.done) return true
      waiting.push(step.value)
    }
    return false
  } finally {
    clearInterval(timer)
    show()
  }
}
