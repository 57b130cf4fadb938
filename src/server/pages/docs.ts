// The OpenAPI 3.1 document and the page that shows it. The page loads nothing from other hosts.
import { randomBytes } from 'node:crypto'
import swagger from '@fastify/swagger'
import { snake } from '../../model/letter-case.ts'
import { describedFields, describedSchemas, parameterWords } from '../api-words/describe-fields.ts'
import { foreignPaths } from '../api-words/foreign-paths.ts'
import { withSharedSchemas } from '../api-words/shared-schemas.ts'
import type { App, RouteGroup } from '../app.ts'
import { type BuiltFiles, openPage, sendFile, sendNotBuilt } from '../built-files.ts'
import { baseUrl, problemSchema } from '../http/responses.ts'
import type { Server } from '../parts.ts'
import { type Components, describeRoute, jsonSchemaOf } from './json-schemas.ts'
import { completedPaths, sharedResponses, withFirst, withNamedSchemas } from './openapi.ts'

const about = `One engine with several APIs. Send a key as \`Authorization: Bearer KEY\`, \`X-API-Key\` or \`X-Service-Key\`.
Every response has \`X-Request-ID\`; every error is JSON with a code, a message, the invalid field and that id.`

export async function describeApi(app: App, { parts }: Server, groups: readonly RouteGroup[]): Promise<void> {
  const components: Components = {}
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'K-Scrape Nexus',
        description: about,
        version: parts.version,
        license: { name: 'MIT', identifier: 'MIT' },
      },
      tags: groups.map(({ name, about }) => ({ name, description: about })),
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer' },
          apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
          serviceKey: { type: 'apiKey', in: 'header', name: 'X-Service-Key' },
        },
      },
    },
    transform: ({ schema = {}, url, route }) => {
      const security = route.config?.scope === 'open' ? [] : anyKey
      const described = describeRoute(schema as Record<string, unknown>, components)
      const named = url.replace(/:(\w+)/g, (_, name: string) => `:${snake(name)}`)
      return { schema: { ...described, security } as never, url: named }
    },
    transformObject: document => {
      if (!('openapiObject' in document)) return document.swaggerObject
      const { openapiObject } = document
      const problem = jsonSchemaOf(problemSchema, 'output', components)
      const schemas = { ...openapiObject.components?.schemas, ...(components as object), Problem: problem }
      const speaksForItself = (path: string) =>
        groups.some(({ prefix, renderProblem }) => renderProblem && prefix && path.startsWith(prefix))
      const foreign = foreignPaths(anyKey)
      const completed = completedPaths({ ...openapiObject.paths, ...foreign } as never, speaksForItself)
      const { paths, schemas: named } = withNamedSchemas(withWords(completed))
      const described = withSharedSchemas({
        paths: describedFields(paths),
        schemas: describedSchemas({ ...schemas, ...named }),
      })
      // Two versions of the OpenAPI types package declare this type, so a cast is needed.
      return {
        ...openapiObject,
        paths: described.paths as never,
        components: {
          ...openapiObject.components,
          schemas: withFirst(described.schemas, firstFields),
          responses: sharedResponses,
        },
      } as typeof openapiObject
    },
  })
}

/** Job fields that the document lists first. */
const firstFields = ['urls', 'seed_urls', 'scraper_id']

type Paths = Parameters<typeof withNamedSchemas>[0]

/** Adds a description to every parameter without one. */
const withWords = (paths: Paths): Paths =>
  JSON.parse(JSON.stringify(paths), (_key, value) =>
    value?.in && value.name && value.schema && !value.description
      ? { ...value, description: parameterWords(value.name) }
      : value,
  ) as Paths

const anyKey = [{ bearer: [] }, { apiKey: [] }, { serviceKey: [] }]

/** One nonce per process is enough, because the page shows no outside content. */
const nonce = randomBytes(16).toString('base64url')

const docsPolicy = [
  `default-src 'none'`,
  `script-src 'self' 'nonce-${nonce}'`,
  // Inline styles are allowed, because the page adds styles at run time.
  `style-src 'self' 'unsafe-inline'`,
  `img-src 'self' data:`,
  `font-src 'self' data:`,
  `connect-src 'self'`,
  `frame-ancestors 'none'`,
  `base-uri 'none'`,
].join('; ')

const configuration = {
  url: '/openapi.json',
  ...{ withDefaultFonts: false, telemetry: false, hideClientButton: true, showDeveloperTools: 'never' },
  ...{ agent: { disabled: true }, mcp: { disabled: true } },
}

const docsPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>K-Scrape Nexus API</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta property="csp-nonce" content="${nonce}">
</head>
<body>
<div id="app"></div>
<script src="/docs/js/scalar.js" nonce="${nonce}"></script>
<script nonce="${nonce}">Scalar.createApiReference('#app', ${JSON.stringify(configuration)})</script>
</body>
</html>
`

/** The page runs Scalar's script, which the dashboard build copies. */
export function addDocs(app: App, server: Server, files: BuiltFiles): void {
  // The document names the address that the caller used, so that samples in the page can be pasted.
  let document: object | null = null
  app.get('/openapi.json', openPage, (request, reply) => {
    document ??= app.swagger()
    const servers = [{ url: baseUrl(server, request), description: 'This service.' }]
    return reply.type('application/json; charset=utf-8').send(JSON.stringify({ ...document, servers }))
  })
  app.get('/docs', openPage, async (_request, reply) => {
    if (!(await files.file(scalarFile))) return sendNotBuilt(reply, 'dashboard')
    return reply
      .headers({ 'content-security-policy': docsPolicy, 'cache-control': 'no-cache' })
      .type('text/html; charset=utf-8')
      .send(docsPage)
  })
  app.get('/docs/js/scalar.js', openPage, async (request, reply) => {
    const script = await files.file(scalarFile)
    return script ? sendFile(request, reply, script, 'no-cache') : sendNotBuilt(reply, 'dashboard')
  })
}

const scalarFile = 'scalar.js'
