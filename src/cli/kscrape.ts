// Starts the program from its sources.
import { enableCompileCache } from 'node:module'

const { directory } = enableCompileCache()
// For threads and child processes.
if (directory) process.env.NODE_COMPILE_CACHE ??= directory
const { main } = await import('./main.ts')
await main(process.argv.slice(2))
