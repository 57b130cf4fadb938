// Lets files that a user wrote import kscrape and zod, also where neither is installed beside them.
import { type RegisterHooksOptions, registerHooks } from 'node:module'

/** In a checkout the sources run as they are; the published package has JavaScript. */
const ending = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
const own = (file: string): string => new URL(`../${file}.${ending}`, import.meta.url).href

/** Always the copy that runs: with two, a failure of one would be a stranger to the other. */
const ours = new Map([
  ['kscrape', own('index')],
  ['kscrape/testing', own('testing')],
])

const resolve: RegisterHooksOptions['resolve'] = (specifier, context, nextResolve) => {
  const url = ours.get(specifier)
  if (url) return nextResolve(url, context)
  try {
    return asModule(nextResolve(specifier, context))
  } catch (error) {
    if (specifier !== 'zod') throw error
    return nextResolve(specifier, { ...context, parentURL: import.meta.url })
  }
}

/** TypeScript whose package.json names no type is a module: Node would guess so too, after a warning. */
function asModule<Resolved extends { url: string; format?: string | null | undefined }>(
  resolved: Resolved,
): Resolved {
  return resolved.format || !resolved.url.endsWith('.ts')
    ? resolved
    : { ...resolved, format: 'module-typescript' }
}

// Resolution belongs to the thread, not to a caller: it is changed once, however often scrapers are loaded.
let isOffered = false

export function offerOwnPackages(): void {
  if (isOffered) return
  isOffered = true
  registerHooks({ resolve })
}
