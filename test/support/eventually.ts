// Waits for a condition, with a limit. On a timeout the error names the condition.

/** Resolves when `check` returns true. The limit is long for busy machines, and only a broken test waits that long. */
export async function eventually(
  what: string,
  check: () => boolean | Promise<boolean>,
  withinMs = 120_000,
): Promise<void> {
  await found(what, async () => (await check()) || undefined, withinMs)
}

/** Waits until `look` returns a value, and returns it. */
export async function found<Found>(
  what: string,
  look: () => Found | undefined | Promise<Found | undefined>,
  withinMs = 120_000,
): Promise<Found> {
  const deadline = Date.now() + withinMs
  for (;;) {
    const it = await look()
    if (it !== undefined) return it
    if (Date.now() > deadline) throw new Error(`waited ${withinMs} ms in vain for: ${what}`)
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}
