import type { FunctionName } from '../function-row.ts'
import type { LocalCloud } from './cloud.ts'

/** A source of random numbers from 0 to below 1. Tests use a seeded source. */
export type RandomSource = () => number

/**
 * Kills one environment of a function, preferably one with a call in progress. Returns its pid, or
 * undefined when none is running.
 */
export function killEnvironment(
  cloud: Pick<LocalCloud, 'listEnvironments'>,
  name: FunctionName,
  draw: RandomSource,
): number | undefined {
  const environments = cloud.listEnvironments(name)
  const busyEnvironments = environments.filter(environment => environment.isBusy())
  const candidates = busyEnvironments.length > 0 ? busyEnvironments : environments
  const victim = candidates[Math.floor(draw() * candidates.length)]
  victim?.kill('was killed at random')
  return victim?.pid
}

/**
 * Draws a function `perMinute` times a minute, and kills one of its environments if one is running.
 * Returns the function that stops the kills.
 */
export function startRandomKills(
  cloud: Pick<LocalCloud, 'listEnvironments'>,
  options: {
    readonly names: readonly FunctionName[]
    readonly perMinute: number
    readonly draw: RandomSource
    readonly onKill: (name: FunctionName, pid: number) => void
  },
): () => void {
  const { names, perMinute, draw, onKill } = options
  const timer = setInterval(() => {
    const name = names[Math.floor(draw() * names.length)]
    const pid = name === undefined ? undefined : killEnvironment(cloud, name, draw)
    if (name !== undefined && pid !== undefined) onKill(name, pid)
  }, 60_000 / perMinute)
  return () => clearInterval(timer)
}
