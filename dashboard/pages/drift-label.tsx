import { useEffect, useState } from 'react'
import { type ShownDrift, type ShownStack, apiPathOf } from '../api/api-views.ts'
import type { DashboardClient } from '../api/dashboard-client.ts'
import { useClient } from '../session/client-context.ts'
import { StatusLabel } from '../widgets/status-label.tsx'

/** The time for which the drift of a stack is cached, in ms. */
const cacheMs = 60_000
/** Concurrent reads of drift. The API limits requests, and a page may show many stacks. */
const readsMax = 3

/**
 * Shows the drift that the latest drift run of a stack found. In a table, only the labels of the
 * visible rows read the drift. After a failed read the label is empty, because the rest of the row
 * is still correct.
 */
export function DriftLabel({ stack }: { stack: ShownStack }) {
  const { client } = useClient()
  const [drift, setDrift] = useState<ShownDrift>()
  const path = `${apiPathOf(stack)}/drift/status`
  useEffect(() => {
    const abort = new AbortController()
    const read = async (): Promise<void> => {
      const newDrift = await readDrift(client, path).catch(() => undefined)
      if (!abort.signal.aborted) setDrift(newDrift)
    }
    void read()
    const timer = setInterval(() => void read(), cacheMs)
    return () => {
      abort.abort()
      clearInterval(timer)
    }
  }, [client, path])
  if (drift === undefined) return null
  if (drift.runInProgress) return <StatusLabel status={{ text: 'checking', tone: 'busy' }} />
  if (drift.latestDriftRun === '') return <span className="quiet">not checked</span>
  return drift.driftDetected ? (
    <StatusLabel status={{ text: 'drift', tone: 'warn' }} />
  ) : (
    <StatusLabel status={{ text: 'none', tone: 'good' }} />
  )
}

interface CachedDrift {
  readonly readAtMs: number
  readonly drift: Promise<ShownDrift>
}

/** The drift of stacks by client and path. Another login has another client. */
const cachedDrifts = new WeakMap<DashboardClient, Map<string, CachedDrift>>()
let runningReads: Promise<unknown>[] = []

function readDrift(client: DashboardClient, path: string): Promise<ShownDrift> {
  const driftsByPath = cachedDrifts.get(client) ?? new Map<string, CachedDrift>()
  cachedDrifts.set(client, driftsByPath)
  const cached = driftsByPath.get(path)
  if (cached !== undefined && Date.now() - cached.readAtMs < cacheMs) return cached.drift
  const drift = startLimited(() => client.read<ShownDrift>(path))
  driftsByPath.set(path, { readAtMs: Date.now(), drift })
  return drift
}

/** Starts a read when fewer than `readsMax` reads run. */
async function startLimited<Result>(read: () => Promise<Result>): Promise<Result> {
  while (runningReads.length >= readsMax) await Promise.race(runningReads).catch(() => undefined)
  const running = read()
  runningReads.push(running)
  try {
    return await running
  } finally {
    runningReads = runningReads.filter(other => other !== running)
  }
}
