// The environment of the program when a test starts it.

/** With the compile cache of the test run, which threads of the program use too. */
export function programEnv(home: string): Record<string, string | undefined> {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  return { PATH, HOME: home, ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) }
}
