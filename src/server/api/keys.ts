// The keys API: creates, lists and revokes keys. The secret is shown once, at creation.

import * as z from 'zod'
import { hashOfKey, newApiKey, newKeyId, prefixOfKey } from '../../lib/secrets/api-keys.ts'
import { type ApiKey, type Caller, mayActFor, newKey } from '../../model/access.ts'
import { madeKey, shownKey } from '../../model/api/service.ts'
import { Failure } from '../../model/failures.ts'
import { id } from '../../model/ids.ts'
import type { App, RouteGroup } from '../app.ts'
import { problemSchema } from '../http/responses.ts'
import { isOperator } from '../operators-only.ts'
import type { Server } from '../parts.ts'

const config = { scope: 'admin' } as const

export const keysApi: RouteGroup = {
  name: 'keys',
  about: 'API keys and their scopes. This API needs the scope `admin`.',
  addRoutes(app, server) {
    addMaking(app, server)
    addLooking(app, server)
  },
}

function addMaking(app: App, { parts }: Server): void {
  app.post(
    '/keys',
    {
      config,
      schema: {
        summary: 'Make a key',
        body: newKey.meta({ examples: [{ name: 'crawler', scopes: ['read', 'submit'] }] }),
        response: { 201: madeKey, 403: problemSchema, 422: problemSchema },
      },
    },
    async (request, reply) => {
      refuseOtherWorkspace(request.caller, request.body.workspace)
      refuseOtherReach(request.caller, request.body.workspaces)
      const key = newApiKey()
      const kept: ApiKey = {
        ...request.body,
        id: newKeyId(),
        prefix: prefixOfKey(key),
        createdAt: parts.clock.now(),
        revokedAt: null,
      }
      await parts.store.keys.add(kept, hashOfKey(key))
      return reply.code(201).send({ ...shown(kept), key })
    },
  )
}

function addLooking(app: App, { parts, forgetKeys }: Server): void {
  app.get(
    '/keys',
    {
      config,
      schema: { summary: 'List keys', response: { 200: z.object({ keys: z.array(shownKey) }) } },
    },
    async request => {
      const filter = isOperator(request.caller) ? {} : { workspace: request.caller.workspace }
      return { keys: (await parts.store.keys.list(filter)).map(shown) }
    },
  )
  app.delete(
    '/keys/:keyId',
    {
      config,
      schema: {
        summary: 'Revoke a key',
        params: z.object({ keyId: id }),
        response: { 200: shownKey, 404: problemSchema },
      },
    },
    async request => {
      const { keyId } = request.params
      const key = await parts.store.keys.get(keyId)
      if (!key || !(isOperator(request.caller) || key.workspace === request.caller.workspace))
        throw new Failure('key.unknown', `there is no key "${keyId}"; GET /keys lists all keys`)
      await parts.store.keys.revoke(keyId, parts.clock.now())
      forgetKeys()
      return shown((await parts.store.keys.get(keyId)) as ApiKey)
    },
  )
}

function refuseOtherWorkspace(caller: Caller, workspace: string): void {
  if (isOperator(caller) || workspace === caller.workspace) return
  throw new Failure(
    'request.forbidden',
    `your key belongs to workspace "${caller.workspace}" and can only create keys for it`,
    { path: 'workspace' },
  )
}

/** A key cannot grant access to workspaces that it cannot access itself. */
function refuseOtherReach(caller: Caller, workspaces: readonly string[]): void {
  const beyond = workspaces.find(workspace => !mayActFor(caller, workspace))
  if (isOperator(caller) || beyond === undefined) return
  throw new Failure(
    'request.forbidden',
    `workspaces: your key may not act for "${beyond}", so it cannot create a key that may`,
    { path: 'workspaces' },
  )
}

const shown = (key: ApiKey) => ({
  keyId: key.id,
  name: key.name,
  prefix: key.prefix,
  workspace: key.workspace,
  scopes: key.scopes,
  limits: key.limits,
  workspaces: key.workspaces,
  createdAt: new Date(key.createdAt).toISOString(),
  revokedAt: key.revokedAt === null ? null : new Date(key.revokedAt).toISOString(),
})
