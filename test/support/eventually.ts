// Waits for a condition, with a limit. On a timeout the error names the condition.

/** The limit for everything that a test waits for. It is long for busy machines, and only a broken test waits that
 *  long. */
export const patienceMs = 120_000

/** Resolves when `check` returns true. */
export async function eventually(
  what: string,
  check: () => boolean | Promise<boolean>,
  withinMs = patienceMs,
): Promise<void> {
  await found(what, async () => (await check()) || undefined, withinMs)
}

/** Waits until `look` returns a value, and returns it. */
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
