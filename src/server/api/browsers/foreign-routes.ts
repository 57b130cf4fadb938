// A Fastify scope for routes that follow another project's API. Field names are not converted, and the API key may also
// be in the query or in that project's own header.
import type * as z from 'zod'
import { problemsOf } from '../../../lib/text/problems.ts'
import { Failure } from '../../../model/failures.ts'
import type { App } from '../../app.ts'

/** `keyHeader`: the header in which clients of that project send the key; null if there is none. */
export function foreignScope(app: App, keyHeader: string | null, addRoutes: (scope: App) => void): void {
  app.register(async instance => {
    const scope = instance as unknown as App
    // Hidden in our OpenAPI document, because the other project documents these routes.
    scope.addHook('onRoute', route => {
      route.schema = { ...route.schema, hide: true }
    })
    scope.setValidatorCompiler(({ schema }) => asWritten(schema as z.ZodType))
    scope.setReplySerializer(payload => JSON.stringify(payload))
    scope.addHook('onRequest', (request, _reply, done) => {
      const { token } = request.query as { token?: unknown }
      const named = keyHeader ? request.headers[keyHeader] : undefined
      const key = typeof token === 'string' ? token : named
      if (typeof key === 'string' && request.headers.authorization === undefined)
        request.headers.authorization = `Bearer ${key}`
      done()
    })
    addRoutes(scope)
  })
}

const asWritten = (schema: z.ZodType) => (given: unknown) => {
  const parsed = schema.safeParse(given ?? {})
  if (parsed.success) return { value: parsed.data }
  const problems = problemsOf(parsed.error)
  const lines = problems.map(({ path, message }) => `${path}: ${message}`)
  const failure = new Failure('input.invalid', `the request can't be accepted: ${lines.join('; ')}`, {
    path: problems[0]?.path,
  })
  return { error: failure }
}
