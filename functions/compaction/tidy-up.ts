import type { Platform } from '../../shared/ports/platform.ts'
import { type LookedThrough, lookThrough } from './look-through.ts'
import { keepingOf, prune, type Pruned } from './prune.ts'

/** What the regular call of compaction came to. */
export interface TidiedUp {
  readonly looked: LookedThrough
  readonly pruned: Pruned
}

/** Looks through all stacks, then removes what was kept long enough. May be called at any time. */
export async function tidyUp(
  platform: Platform,
  env: Readonly<Record<string, string | undefined>>,
): Promise<TidiedUp> {
  const looked = await lookThrough(platform)
  const pruning = { platform, isAlive: () => undefined, keeping: keepingOf(env) }
  const pruned = await prune(pruning, { dryRun: false })
  const { nudged, unreadable, forgotten } = looked
  const counts = { nudged: nudged.length, forgotten, removed: pruned.deployments.length }
  platform.journal.write('info', 'stacks.tidied', { ...counts, unreadable })
  return { looked, pruned }
}
