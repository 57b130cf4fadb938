// Waits for a condition, with a limit. On a timeout the error names the condition.

/** Resolves when `check` holds. The limit is long because only a broken test pays for it, and a busy machine needs it. */
export async function eventually(
  what: string,
  check: () => boolean | Promise<boolean>,
  withinMs = 120_000,
): Promise<void> {
  await found(what, async () => (await check()) || undefined, withinMs)
}

/** What `look` returns, once it is not empty. */
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
