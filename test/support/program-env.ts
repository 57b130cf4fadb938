// The environment variables of the program when a test starts it.

/** Variables of the test run that the program gets too: its compile cache, joined modules and folder for temporary files. */
const ofTheRun = ['NODE_COMPILE_CACHE', 'NODE_OPTIONS', 'TEST_JOINED', 'TMPDIR']

export function programEnv(home: string): Record<string, string | undefined> {
  const kept = ofTheRun.filter(name => process.env[name]).map(name => [name, process.env[name]])
  return { PATH: process.env.PATH, HOME: home, ...Object.fromEntries(kept) }
}
