// The Firecrawl APIs: clients of versions 1 and 2 work with this service as their `apiUrl`.
import type { App, RouteGroup } from '../../app.ts'
import { boundedJsonParser } from '../../http/bodies.ts'
import type { GuardedServer } from '../../parts.ts'
import { addExtracting } from './extract/extract.ts'
import { addExtractStatus } from './extract/extract-status.ts'
import { addWatching } from './job-socket.ts'
import { addMapping } from './mapping.ts'
import { addMonitors } from './monitors/monitor.ts'
import { addParsing } from './parse.ts'
import { answerTheirProblem, renderProblem } from './problems.ts'
import { addLooking } from './read-jobs.ts'
import type { Version } from './schemas.ts'
import { addScraping } from './scrape.ts'
import { addSearch } from './search/search.ts'
import { addStarting } from './start-jobs.ts'
import { addTeam } from './team/team.ts'

const apiOf = (version: Version): RouteGroup => ({
  name: `firecrawl v${version}`,
  about: `Compatible with Firecrawl clients of version ${version}; docs/coming-from/firecrawl.md has the mapping.`,
  prefix: `/v${version}/`,
  renderProblem,
  addRoutes(app, server) {
    // A separate Fastify scope: keys are not converted, and problems use Firecrawl's status codes.
    app.register(async scope => addAll(scope as unknown as App, server, version))
  },
})

function addAll(app: App, server: GuardedServer, version: Version): void {
  app.setErrorHandler((error, request, reply) => answerTheirProblem(error, request, reply))
  app.setReplySerializer(payload => JSON.stringify(payload))
  takeEmptyBodies(app)
  addScraping(app, server, version)
  addStarting(app, server, version)
  addLooking(app, server, version)
  addMapping(app, server, version)
  addSearch(app, server, version)
  addExtracting(app, server, version)
  addExtractStatus(app, server, version)
  if (version === 2) addParsing(app, server)
  if (version === 2) addMonitors(app, server)
  addTeam(app, server, version)
  if (version === 2) addWatching(app, server)
}

/** Firecrawl's client sends "application/json" even without a body. */
function takeEmptyBodies(app: App): void {
  const parse = boundedJsonParser(app)
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined)
    else parse(request, body, done)
  })
}

export const firecrawlApis: readonly RouteGroup[] = [apiOf(1), apiOf(2)]
