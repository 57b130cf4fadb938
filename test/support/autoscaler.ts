// Acts like KEDA: applies the formulas of the ScaledObjects to real processes, with a real Prometheus.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient, type RedisClientType } from 'redis'
import { parse } from 'yaml'
import type { Prometheus } from '../operations/prometheus.ts'
import type { RoleProcess, TestCluster } from './cluster.ts'

interface Trigger {
  type: 'prometheus' | 'redis-streams'
  metadata: Record<string, string>
}

interface ScaledObject {
  metadata: { name: string }
  spec: { maxReplicaCount: number; triggers: Trigger[] }
}

export const scaledRoles = ['ingest', 'http-worker', 'browser-worker', 'processor'] as const
export type ScaledRole = (typeof scaledRoles)[number]

const base = join(import.meta.dirname, '../../deploy/kubernetes/base')
const scaledObjectOf = (role: ScaledRole): ScaledObject =>
  parse(readFileSync(join(base, role, 'scaledobject.yaml'), 'utf8'))

export interface AutoscalerOptions {
  /** The highest number of processes, because the test machine has fewer cores than a cluster. */
  most?: number
  settings?: Record<string, string>
}

/** If a role has no work for this many polls, its processes end. The real KEDA waits for its cooldown instead. */
const idleLooks = 3
const lookEveryMs = 300

export class Autoscaler implements AsyncDisposable {
  readonly #cluster: TestCluster
  readonly #prometheus: Prometheus
  readonly #redis: RedisClientType
  readonly #options: AutoscalerOptions
  readonly #objects = scaledRoles.map(role => ({ role, ...scaledObjectOf(role).spec }))
  readonly #running = new Map<ScaledRole, RoleProcess[]>(scaledRoles.map(role => [role, []]))
  readonly #idle = new Map<ScaledRole, number>()
  /** The number of processes that are starting or stopping. */
  #changing = 0
  readonly #over = new AbortController()
  #loop: Promise<void> | null = null
  /** The error of the last poll. */
  trouble: string | null = null
  /** The last value of each trigger, for error messages. */
  readonly said = new Map<string, number | null>()
  /** The roles that were started at least once. */
  readonly started = new Set<ScaledRole>()
  /** The highest number of replicas that the formulas gave, without the limit `most`. */
  readonly wanted = new Map<ScaledRole, number>()

  private constructor(
    cluster: TestCluster,
    prometheus: Prometheus,
    redis: RedisClientType,
    options: AutoscalerOptions,
  ) {
    this.#cluster = cluster
    this.#prometheus = prometheus
    this.#redis = redis
    this.#options = options
  }

  static async start(
    cluster: TestCluster,
    prometheus: Prometheus,
    options: AutoscalerOptions = {},
  ): Promise<Autoscaler> {
    const redis = createClient({ url: cluster.redis.url }) as unknown as RedisClientType
    redis.on('error', () => {})
    await redis.connect()
    const autoscaler = new Autoscaler(cluster, prometheus, redis, options)
    autoscaler.#loop = autoscaler.#run()
    return autoscaler
  }

  /** True if no role has work and no process runs, starts or stops. A process that is still stopping could take the next job. */
  get isAtRest(): boolean {
    const isIdle = scaledRoles.every(role => (this.#idle.get(role) ?? 0) >= idleLooks)
    return isIdle && this.#changing === 0 && [...this.#running.values()].every(own => own.length === 0)
  }

  /** Clears the counts before the next job. */
  forget(): void {
    this.started.clear()
    this.wanted.clear()
  }

  async #run(): Promise<void> {
    while (!this.#over.signal.aborted) {
      // Continues after a failed poll, as KEDA does.
      const looks = this.#objects.map(one => this.#scale(one.role, one.maxReplicaCount, one.triggers))
      for (const look of await Promise.allSettled(looks))
        if (look.status === 'rejected') this.trouble = String(look.reason)
      await new Promise(resolve => setTimeout(resolve, lookEveryMs))
    }
  }

  async #scale(role: ScaledRole, maxReplicas: number, triggers: Trigger[]): Promise<void> {
    const looks = await Promise.all(triggers.map(trigger => this.#look(trigger)))
    for (const [index, look] of looks.entries())
      this.said.set(`${role} ${triggers[index]!.type}`, look?.value ?? null)
    const known = looks.filter(look => look !== null)
    if (known.length === 0) return
    const isActive = known.some(({ value, activation }) => value > activation)
    const asked = Math.max(...known.map(({ value, threshold }) => Math.ceil(value / threshold)))
    const replicas = isActive ? Math.min(maxReplicas, Math.max(1, asked)) : 0
    this.wanted.set(role, Math.max(replicas, this.wanted.get(role) ?? 0))
    const idle = isActive ? 0 : (this.#idle.get(role) ?? 0) + 1
    this.#idle.set(role, idle)
    const own = this.#running.get(role)!
    if (isActive) await this.#startUpTo(role, own, Math.min(replicas, this.#options.most ?? 1))
    else if (idle >= idleLooks)
      await Promise.all(own.splice(0).map(process => this.#change(() => process.kill('SIGTERM'))))
  }

  async #startUpTo(role: ScaledRole, own: RoleProcess[], count: number): Promise<void> {
    while (own.length < count) {
      this.started.add(role)
      own.push(await this.#change(() => this.#cluster.start([role], this.#options.settings)))
    }
  }

  async #change<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#changing += 1
    try {
      return await work()
    } finally {
      this.#changing -= 1
    }
  }

  /** The value of a trigger. Null if its source has no value. */
  async #look({ type, metadata }: Trigger) {
    if (type === 'prometheus') {
      const [sample] = await this.#prometheus.ask(metadata.query!)
      if (!sample) return null
      const value = Number(sample.value[1])
      return {
        value,
        threshold: Number(metadata.threshold),
        activation: Number(metadata.activationThreshold),
      }
    }
    const value = await this.#lagOf(metadata.stream!, metadata.consumerGroup!)
    return { value, threshold: Number(metadata.lagCount), activation: Number(metadata.activationLagCount) }
  }

  async #lagOf(stream: string, group: string): Promise<number> {
    const groups = await this.#redis.xInfoGroups(stream).catch(() => [])
    const own = groups.find(({ name }) => String(name) === group) as { lag?: number | null } | undefined
    return Number(own?.lag ?? 0)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort()
    await this.#loop?.catch(() => {})
    this.#redis.destroy()
  }
}
