// Turns flags into settings and into a job.
import { resolve } from 'node:path'
import type { Settings, SettingsInput } from '../../config/settings.ts'
import { userAgentOf } from '../../lib/user-agent.ts'
import { Failure } from '../../model/failures.ts'
import type { JobSpecInput } from '../../model/job.ts'
import type { TableShape } from '../../model/table-shape.ts'
import { outputOf } from '../../pipeline/submit/output-of.ts'
import type { FetchFlags, JobFlags, ScopeFlags, TableFlags } from './flags.ts'
import { inlineRules } from './inline-fields.ts'
import { limitsOf } from './limit-text.ts'
import { proxyPolicyOf } from './proxy-flags.ts'
import { isolationOf, renderSpecOf } from './render-spec.ts'

/** The settings that flags set. They have precedence over the config file and the environment. */
export function settingsOf(flags: FetchFlags): SettingsInput {
  return {
    ...(flags.dataDir !== undefined && { dataDir: flags.dataDir }),
    ...(flags.userAgent !== undefined && { userAgent: flags.userAgent }),
    ...(flags.contact !== undefined && { contact: flags.contact }),
    ...(flags.allowPrivate !== undefined && { allowPrivate: flags.allowPrivate }),
    ...(flags.proxy && { proxies: flags.proxy }),
  }
}

/** The user agent, if flags set it; otherwise the job keeps its own. */
export const userAgentSpecOf = ({ userAgent, contact }: FetchFlags, settings: Settings): JobSpecInput =>
  userAgent === undefined && contact === undefined ? {} : { userAgent: userAgentOf(settings) }

/** Options about requests. They are stored with the job, or used for one run only. */
export function fetchSpecOf(flags: FetchFlags): JobSpecInput {
  const policy = { ...policyOf(flags), ...isolationOf(flags), ...proxyPolicyOf(flags) }
  return {
    ...(flags.timeout !== undefined && { timeoutMs: flags.timeout }),
    ...(flags.concurrency !== undefined && { concurrency: flags.concurrency }),
    ...(flags.header && { headers: headersOf(flags.header) }),
    ...(flags.cookies && { cookiesFile: resolve(flags.cookies) }),
    ...renderSpecOf(flags),
    ...(Object.keys(policy).length > 0 && { policy }),
  }
}

function policyOf({
  rate,
  concurrency,
  ignoreRobots,
  retries,
}: FetchFlags): NonNullable<JobSpecInput['policy']> {
  // If both a rate and a concurrency are given, both apply per host. If the rate is unlimited, the concurrency applies only to
  // the job.
  const perHost = concurrency !== undefined && rate !== undefined && rate !== 'unlimited'
  return {
    ...(ignoreRobots && { robots: 'ignore' as const }),
    ...(retries !== undefined && { retries: { attempts: retries } }),
    ...(rate !== undefined && { host: { rate, ...(perHost && { concurrency }) } }),
  }
}

/** Options of the job itself. They are stored with it and still apply after a resume. */
export function specOf(
  flags: JobFlags & ScopeFlags & { scraper?: string; urlColumn?: string; policyColumn?: string },
): JobSpecInput {
  const asked = fetchSpecOf(flags)
  const extract = inlineRules(flags)
  return {
    ...asked,
    ...(flags.limit && { policy: { ...asked.policy, limits: limitsOf(flags.limit) } }),
    ...(flags.job !== undefined && { jobId: flags.job }),
    ...(flags.depth !== undefined && { depth: flags.depth }),
    ...(flags.maxPages !== undefined && { maxPages: flags.maxPages }),
    ...(flags.include && { include: flags.include }),
    ...(flags.exclude && { exclude: flags.exclude }),
    ...(flags.allowDomain && { allowedDomains: flags.allowDomain }),
    ...(flags.subdomains && { subdomains: true }),
    ...(flags.sitemap && { sitemap: flags.sitemap }),
    ...(flags.scraper && { scraperId: flags.scraper }),
    ...(flags.urlColumn && { urlColumn: flags.urlColumn }),
    ...(flags.policyColumn && { policyColumn: flags.policyColumn }),
    ...(flags.maxAge !== undefined && { maxAgeMs: flags.maxAge }),
    ...(flags.webhook !== undefined && { webhookUrl: flags.webhook }),
    ...(flags.llm !== undefined && { llm: flags.llm }),
    ...(flags.pii !== undefined && { pii: flags.pii }),
    ...(flags.llmTokens !== undefined && { llmTokens: flags.llmTokens }),
    ...resultsOf(flags),
    ...(extract && { extract }),
    output: (flags.output ?? []).map(outputOf),
  }
}

function resultsOf(flags: JobFlags): Pick<JobSpecInput, 'results'> {
  const results = {
    ...(flags.raw === false && { raw: 'none' as const }),
    ...(flags.archive && { archive: 'page' as const }),
    ...shapeOf(flags),
  }
  return Object.keys(results).length > 0 ? { results } : {}
}

/** The table options that flags set. For the others, the options of the job apply. */
export const shapeOf = ({ keepColumns, explode, pageColumns }: TableFlags): Partial<TableShape> => ({
  ...(keepColumns && { input: 'flat' as const }),
  ...(explode !== undefined && { explode }),
  ...(pageColumns && { pageColumns }),
})

const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

function headersOf(lines: string[]): Record<string, string> {
  return Object.fromEntries(
    lines.map(line => {
      const colon = line.indexOf(':')
      const name = line.slice(0, Math.max(0, colon)).trim()
      if (!headerName.test(name))
        throw new Failure('input.invalid', `--header "${line}" is not like "Accept-Language: de"`)
      return [name, line.slice(colon + 1).trim()]
    }),
  )
}
