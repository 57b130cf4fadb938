// The sessions API: named cookies and storage that jobs reuse. Their values are never shown.
import * as z from 'zod'
import { shownSession } from '../../model/api/operations.ts'
import { Failure } from '../../model/failures.ts'
import { id, isStoredId } from '../../model/ids.ts'
import type { StorageState } from '../../model/policy/rendering.ts'
import { storageStateSchema } from '../../model/policy/storage-state.ts'
import type { RouteGroup } from '../app.ts'
import { isoTime, problemSchema } from '../http/responses.ts'
import { keepToOperators } from '../operators-only.ts'

const config = { scope: 'admin' } as const

const exampleState = {
  cookies: [{ name: 'sid', value: 'abc', domain: '.club.example', path: '/', expires: -1 }],
  origins: [{ origin: 'https://club.example', localStorage: [{ name: 'token', value: 'abc' }] }],
}

interface KeptSession {
  name: string
  savedAt: number
  state: StorageState
}

const shown = ({ name, savedAt, state: { cookies, origins } }: KeptSession) => ({
  ...{ name, savedAt: isoTime(savedAt), cookies: cookies.length, origins: origins.length },
  domains: [...new Set(cookies.map(({ domain }) => domain.replace(/^\./, '')))].sort(),
})

export const sessionsApi: RouteGroup = {
  name: 'sessions',
  about: 'Named sessions. This API needs the scope `admin`, and a key of the workspace `default`.',
  addRoutes(app, { parts }) {
    keepToOperators(app)
    app.get(
      '/sessions',
      {
        config,
        schema: {
          summary: 'List sessions, without their values',
          response: { 200: z.object({ sessions: z.array(shownSession) }) },
        },
      },
      async () => ({
        sessions: (await parts.sessions.list()).map(shown),
      }),
    )
    app.put(
      '/sessions/:name',
      {
        config: { ...config, takesLists: true },
        schema: {
          summary: 'Store a session',
          description: 'It replaces a session of the same name.',
          params: z.object({ name: id }),
          body: z
            .strictObject({
              data: storageStateSchema.describe('Playwright’s `storageState`, as its file has it.'),
            })
            .meta({ examples: [{ data: exampleState }] }),
          response: { 200: shownSession },
        },
      },
      async ({ params: { name }, body: { data: state } }) => {
        await parts.sessions.save(name, state)
        return shown({ name, savedAt: parts.clock.now(), state })
      },
    )
    app.delete(
      '/sessions/:name',
      {
        config,
        schema: {
          summary: 'Delete a session',
          params: z.object({
            name: z
              .string()
              .refine(isStoredId, 'not the name of a session')
              .describe('A name of `GET /sessions`. Sessions of other workspaces have a `~` in their names.'),
          }),
          response: { 204: z.null(), 404: problemSchema },
        },
      },
      async (request, reply) => {
        const { name } = request.params
        if (!(await parts.sessions.remove(name)))
          throw new Failure('item.unknown', `there is no session "${name}"; GET /sessions lists all sessions`)
        return reply.code(204).send(null)
      },
    )
  },
}
