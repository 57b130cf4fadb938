// Waits for a condition up to a time limit. After the limit, the error names the condition.

/** The time limit for everything that a test waits for. It is long because of busy machines, and only a broken test reaches it. */
export const patienceMs = 120_000

/** Resolves when `check` returns true. */
export async function eventually(
  what: string,
  check: () => boolean | Promise<boolean>,
  withinMs = patienceMs,
): Promise<void> {
  await found(what, async () => (await check()) || undefined, withinMs)
}

/** Waits until `look` returns a value, and returns this value. */
export async function found<Found>(
  what: string,
  look: () => Found | undefined | Promise<Found | undefined>,
  withinMs = patienceMs,
): Promise<Found> {
  const deadline = Date.now() + withinMs
  for (;;) {
    const it = await look()
    if (it !== undefined) return it
    if (Date.now() > deadline) throw new Error(`waited ${withinMs} ms in vain for: ${what}`)
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}
