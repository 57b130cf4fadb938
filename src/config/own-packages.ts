// Lets user files import kscrape and zod even if neither is installed in their folder.
import { type RegisterHooksOptions, registerHooks } from 'node:module'

/** A checkout runs the TypeScript sources; the published package contains JavaScript. */
const ending = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
const own = (file: string): string => new URL(`../${file}.${ending}`, import.meta.url).href

/** Packages that always resolve to the running copy. With two copies, `instanceof` checks of failures would fail. */
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

/** Treats TypeScript files without a package type as modules. Node does the same, but prints a warning. */
function asModule<Resolved extends { url: string; format?: string | null | undefined }>(
  resolved: Resolved,
): Resolved {
  return resolved.format || !resolved.url.endsWith('.ts')
    ? resolved
    : { ...resolved, format: 'module-typescript' }
}

// Module resolution is global per thread, so it is patched only once.
let isOffered = false

export function offerOwnPackages(): void {
  if (isOffered) return
  isOffered = true
  registerHooks({ resolve })
}
