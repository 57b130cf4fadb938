// Starts the program from its TypeScript sources.
import { enableCompileCache } from 'node:module'

enableCompileCache()
const { main } = await import('./main.ts')
await main(process.argv.slice(2))
