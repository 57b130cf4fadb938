// Conduct rules: host overrides of the operator, and the do-not-crawl list. The store has them, and they change while jobs run.
import type { KnownHostPolicy } from '../../dispatch/host-table.ts'
import { type HostListing, type HostOverride, isInForce } from '../../model/conduct.ts'
import type { ConductStore } from '../../ports/service-stores.ts'
import { type CrawlEntries, CrawlList } from './crawl-list.ts'

/** Lists of the settings. They apply beside those of the store. */
interface SettingsLists {
  denyHosts: readonly string[]
  allowHosts: readonly string[]
}

/** Policies of hosts, with overrides that can change. */
interface HostPolicies {
  policyFor: (host: string) => KnownHostPolicy
  /** Returns the hosts whose policy changed. */
  setOverrides: (overrides: HostOverride[]) => string[]
}

export class ConductRules {
  readonly crawlList: CrawlList
  readonly policyFor: HostPolicies['policyFor']
  readonly #policies: HostPolicies
  readonly #lists: SettingsLists
  #version: string | null = null

  constructor(policies: HostPolicies, lists: SettingsLists) {
    this.#policies = policies
    this.policyFor = policies.policyFor
    this.#lists = lists
    this.crawlList = new CrawlList({ deny: lists.denyHosts, allow: lists.allowHosts })
  }

  /** Reads the rules if their version changed. Returns the hosts whose policy changed; null if nothing did. */
  async refresh(conduct: ConductStore): Promise<string[] | null> {
    const version = await conduct.version()
    if (version === this.#version) return null
    const changed = this.#policies.setOverrides(await conduct.overrides())
    this.crawlList.set(await crawlEntries(conduct, this.#lists))
    this.#version = version
    return changed
  }

  /** The next refresh reads the rules whatever their version. */
  expire(): void {
    this.#version = null
  }
}

/** Entries of the settings, and those of the store that are in force. */
async function crawlEntries(conduct: ConductStore, settings: SettingsLists): Promise<CrawlEntries> {
  const listed = await listingsInForce(conduct)
  const of = (list: HostListing['list']) =>
    listed.filter(entry => entry.list === list).map(({ pattern }) => pattern)
  return { deny: [...settings.denyHosts, ...of('deny')], allow: [...settings.allowHosts, ...of('allow')] }
}

const pageSize = 1_000

async function listingsInForce(conduct: ConductStore): Promise<HostListing[]> {
  const found: HostListing[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await conduct.listings({ limit: pageSize, ...(cursor && { cursor }) })
    found.push(...page.filter(isInForce))
    if (page.length < pageSize) return found
    cursor = page.at(-1)!.id
  }
}
