// Compares each record of this job with the previous run of its schedule.
import { useState } from 'preact/hooks'
import type { ComparedItem, JobStatus } from '../../api.ts'
import { useLoad, useSession } from '../../hooks.ts'

const mostItems = 10_000

export interface Comparison {
  isOn: boolean
  toggle: () => void
  problem: string | null
  /** The compared records by item id. Empty while the comparison is off. */
  items: ReadonlyMap<string, ComparedItem>
  /** The id of the job with which this job is compared. */
  against: string | null
  counts: { new: number; changed: number; gone: number } | null
}

export function useComparison({
  jobId,
  scheduleId,
}: Pick<JobStatus, 'jobId' | 'scheduleId'>): Comparison | null {
  const { client } = useSession()
  const [isOn, setOn] = useState(false)
  const { value, problem } = useLoad(async () => {
    if (!isOn || scheduleId === null) return null
    let before: string | null = null
    let isHere = false
    for await (const job of client.jobs.list({ scheduleId, pageSize: 50 })) {
      if (isHere) {
        before = job.jobId
        break
      }
      isHere = job.jobId === jobId
    }
    if (before === null) throw new Error('This is the first run; there is nothing to compare it with.')
    const items = new Map<string, ComparedItem>()
    for (let cursor: string | undefined; ; ) {
      const difference = ['new', 'changed', 'gone'] as const
      const page = await client.schedules.compare(scheduleId, {
        ...{ from: before, to: jobId, difference, limit: 1_000 },
        ...(cursor !== undefined && { cursor }),
      })
      for (const item of page.items) items.set(item.itemId, item)
      if (page.nextCursor === null || items.size >= mostItems)
        return { items, counts: page.counts, against: before }
      cursor = page.nextCursor
    }
  }, [client, jobId, scheduleId, isOn])
  if (scheduleId === null) return null
  return {
    ...{ isOn, toggle: () => setOn(!isOn), problem: isOn ? problem : null },
    ...{ items: value?.items ?? new Map(), against: value?.against ?? null, counts: value?.counts ?? null },
  }
}
