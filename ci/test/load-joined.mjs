// Loaded into every process and thread of a test run. In those of the program, it replaces the entry modules of `src` by the joined
// files that TEST_JOINED names. Test files load the modules of `src` one by one, because they import single ones.
import { existsSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const src = new URL('../../src/', import.meta.url).href
const program = [
  `${src}cli/kscrape.ts`,
  `${src}roles/lanes/lane-thread.ts`,
  `${src}roles/reader/reader-process.ts`,
]
const folder = process.env.TEST_JOINED

/** The joined file of an entry module. */
function joinedUrl(url) {
  if (!url.startsWith(src)) return null
  const file = join(folder, url.slice(src.length).replace(/\.ts$/, '.js').replaceAll('/', '-'))
  return existsSync(file) ? pathToFileURL(file).href : null
}

let isProgram = null
const hooks = registerHooks({
  resolve(specifier, context, nextResolve) {
    const resolved = nextResolve(specifier, context)
    // Only the module with which the process or thread was started has no parent.
    if (context.parentURL === undefined) isProgram = program.includes(resolved.url)
    if (isProgram === false) hooks.deregister()
    const url = isProgram && resolved.url.endsWith('.ts') ? joinedUrl(resolved.url) : null
    return url === null ? resolved : { ...resolved, url, format: 'module' }
  },
})
