// Computes the policy values of a task that differ from its job's: from the policy of its domain, and from its own policy.
import type { KnownHostPolicy } from '../../dispatch/host-table.ts'
import {
  type ExecutionPolicy,
  type ItemPolicy,
  type TaskOverrides,
  type TaskPolicy,
  taskPolicy,
} from '../../model/policy/policy.ts'
import { type LayeredPolicy, policyOfTask } from '../../model/policy/policy-layers.ts'
import type { Rendering } from '../../model/policy/rendering.ts'
import type { LeasedTask } from '../../model/task.ts'
import type { CoordinatorContext } from '../coordinate/context.ts'
import type { RunningJob } from '../coordinate/running-job.ts'

/** Dependencies for computing the policy of a task. */
export type OverridesContext = Pick<CoordinatorContext, 'hosts' | 'settings'>

const parts = Object.keys(taskPolicy.shape) as Array<keyof TaskPolicy>

/** Adds the overrides to a task. Returns the task unchanged if neither its host nor the task has a policy. */
export function withOverrides<Task extends LeasedTask>(
  context: OverridesContext,
  job: RunningJob,
  task: Task,
): Task {
  const host = context.hosts.policyOf(task.host)
  const own = task.policy ?? null
  if (own === null && !saysMore(host)) return task
  const overrides =
    own === null
      ? overridesAt(context, job, host)
      : withRendering(job, own, overridesOf(job, layersOf(context, job, host, own)))
  return { ...task, overrides }
}

/** The effective policy of a task: of its job, its domain and the task itself. */
export function policyOfTimed(context: OverridesContext, job: RunningJob, task: LeasedTask): ExecutionPolicy {
  const host = context.hosts.policyOf(task.host)
  const own = task.policy ?? null
  if (own === null && !saysMore(host)) return job.job.spec.policy
  return layersOf(context, job, host, own).policy
}

/** Merges the item's browser settings into those of its job. */
function withRendering({ job: { spec } }: RunningJob, own: string, overrides: TaskOverrides): TaskOverrides {
  const { rendering } = JSON.parse(own) as ItemPolicy
  return rendering ? { ...overrides, rendering: { ...spec.rendering, ...rendering } as Rendering } : overrides
}

const saysMore = (host: KnownHostPolicy): boolean => parts.some(part => host[part] !== undefined)

/** The overrides that the policy of a host causes. They are cached, because they are the same for all hosts with this policy. */
function overridesAt(context: OverridesContext, job: RunningJob, host: KnownHostPolicy): TaskOverrides {
  const known = job.hostOverrides.get(host) ?? overridesOf(job, layersOf(context, job, host, null))
  job.hostOverrides.set(host, known)
  return known
}

export const layersOf = (
  context: Pick<OverridesContext, 'settings'>,
  job: Pick<RunningJob, 'job'>,
  host: KnownHostPolicy,
  own: string | null,
): LayeredPolicy =>
  policyOfTask(job.job.spec, {
    domain: domainPart(host),
    own: own === null ? null : taskPart(JSON.parse(own) as ItemPolicy),
    ceilings: context.settings.ceilings ?? {},
  })

const taskPart = ({ rendering: _, ...policy }: ItemPolicy): TaskPolicy => policy

/** The fields of a host's policy that apply to tasks. */
export const domainPart = (host: TaskPolicy): TaskPolicy =>
  Object.fromEntries(parts.flatMap(part => (host[part] === undefined ? [] : [[part, host[part]]])))

function overridesOf({ job: { spec } }: RunningJob, { policy }: LayeredPolicy): TaskOverrides {
  const { timeouts, retries, blocks, maxBytes, browser, identity, render } = policy
  return {
    ...{ timeouts, retries, blocks, maxBytes },
    ...(render !== undefined && render !== spec.policy.render && { render }),
    ...(browser !== spec.policy.browser && { browser }),
    ...(identity !== spec.policy.identity && { identity }),
  }
}
