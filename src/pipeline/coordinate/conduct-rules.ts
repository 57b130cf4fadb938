// Conduct rules: host overrides of the operator, and the do-not-crawl list. They are stored, and can change while jobs run.

import type { KnownHostPolicy } from '../../dispatch/host-table.ts'
import { entriesById } from '../../lib/list-pages.ts'
import { type HostListing, type HostOverride, isInForce } from '../../model/conduct.ts'
import type { ConductStore } from '../../ports/service-stores.ts'
import { type CrawlEntries, CrawlList } from './crawl-list.ts'

/** The lists from the settings. They apply in addition to the stored lists. */
interface SettingsLists {
  denyHosts: readonly string[]
  allowHosts: readonly string[]
}

/** The policy of each host, including the operator's overrides. */
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

  /** Reads the rules if their version changed. Returns the hosts whose policy changed; null if the version is the same. */
  async refresh(conduct: ConductStore): Promise<string[] | null> {
    const version = await conduct.version()
    if (version === this.#version) return null
    const changed = this.#policies.setOverrides(await conduct.overrides())
    this.crawlList.set(await crawlEntries(conduct, this.#lists))
    this.#version = version
    return changed
  }

  /** Forces the next `refresh` to read the rules. */
  expire(): void {
    this.#version = null
  }
}

/** The entries of the deny list and the allow list: those of the settings, and stored entries that are in force. */
async function crawlEntries(conduct: ConductStore, settings: SettingsLists): Promise<CrawlEntries> {
  const listed = await listingsInForce(conduct)
  const of = (list: HostListing['list']) =>
    listed.filter(entry => entry.list === list).map(({ pattern }) => pattern)
  return { deny: [...settings.denyHosts, ...of('deny')], allow: [...settings.allowHosts, ...of('allow')] }
}

const pageSize = 1_000

async function listingsInForce(conduct: ConductStore): Promise<HostListing[]> {
  const listings = await Array.fromAsync(entriesById(pageSize, page => conduct.listings(page)))
  return listings.filter(isInForce)
}
