#!/usr/bin/env -S MALLOC_ARENA_MAX=1 node --max-semi-space-size=8
// The published program. Its first line keeps memory small: one arena for all threads saves 50 MB, a small young generation
// 100 MB more, and neither costs speed. Images, the systemd unit and ./kscrape take the flags from there. Checks the Node it runs on before anything that an older one can't read is loaded.
import module from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'

const [major] = process.versions.node.split('.').map(Number)
if (major < 24) {
  console.error(
    `kscrape needs Node 24 or newer; this is ${process.versions.node}. Install a newer one, or run it with: npx -p node@24 -p kscrape kscrape`,
  )
  process.exit(1)
}
// Compiled code from the last run halves the time to start. The temporary folder belongs to all users, so it is not kept there.
// Threads and child processes find the folder by the variable. A service runs for long, and Node would keep 7 MB of it in memory.
if (process.argv[2] !== 'serve') {
  process.env.NODE_COMPILE_CACHE ??= join(
    process.env.XDG_CACHE_HOME || join(homedir(), '.cache'),
    'kscrape',
    'compiled',
  )
  module.enableCompileCache(process.env.NODE_COMPILE_CACHE)
}
const { main } = await import('../dist/cli/main.js')
await main(process.argv.slice(2))
