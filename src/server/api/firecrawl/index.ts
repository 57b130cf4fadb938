// The Firecrawl faces: their clients of version 1 and 2 work here when `apiUrl` names this service.
import type { App, RouteGroup } from '../../app.ts'
import { boundedJsonParser } from '../../bodies.ts'
import type { GuardedServer } from '../../parts.ts'
import { addLooking } from './looking.ts'
import { addMapping } from './mapping.ts'
import { answerTheirProblem, renderProblem } from './problems.ts'
import type { Version } from './schemas.ts'
import { addScraping } from './scrape.ts'
import { addStarting } from './starting.ts'
import { addTeam } from './team.ts'
import { addWatching } from './watching.ts'

const apiOf = (version: Version): RouteGroup => ({
  name: `firecrawl v${version}`,
  about: `What Firecrawl’s clients of version ${version} ask for; docs/coming-from/firecrawl.md has what maps to what.`,
  prefix: `/v${version}/`,
  renderProblem,
  addRoutes(app, server) {
    // In a scope of its own: keys stay as they are, in both directions, and problems have statuses of theirs.
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
  addTeam(app, server, version)
  if (version === 2) addWatching(app, server)
}

/** Their client says "application/json" also where it sends nothing. */
function takeEmptyBodies(app: App): void {
  const parse = boundedJsonParser(app)
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined)
    else parse(request, body, done)
  })
}

export const firecrawlApis: readonly RouteGroup[] = [apiOf(1), apiOf(2)]
