// The environment of the program when a test starts it.

/** The compile cache and the joined modules of the test run. Threads of the program use them, too. */
const ofTheRun = ['NODE_COMPILE_CACHE', 'NODE_OPTIONS', 'TEST_JOINED']

export function programEnv(home: string): Record<string, string | undefined> {
  const kept = ofTheRun.filter(name => process.env[name]).map(name => [name, process.env[name]])
  return { PATH: process.env.PATH, HOME: home, ...Object.fromEntries(kept) }
}
