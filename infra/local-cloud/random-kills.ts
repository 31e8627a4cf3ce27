import type { FunctionName } from '../functions-table.ts'
import type { LocalCloud } from './cloud.ts'

/** A random number from 0 to below 1; tests use a seeded one. */
export type Draw = () => number

/**
 * Kills one environment of a function, preferably one with a call in progress. Returns its pid, or
 * undefined when none is running.
 */
export function killOne(
  cloud: Pick<LocalCloud, 'environments'>,
  name: FunctionName,
  draw: Draw,
): number | undefined {
  const all = cloud.environments(name)
  const busy = all.filter(one => one.isBusy())
  const some = busy.length > 0 ? busy : all
  const victim = some[Math.floor(draw() * some.length)]
  victim?.kill('was killed at random')
  return victim?.pid
}

/**
 * Kills environments of some functions `perMinute` times a minute. Returns the function that stops
 * it.
 */
export function keepKilling(
  cloud: Pick<LocalCloud, 'environments'>,
  options: {
    readonly names: readonly FunctionName[]
    readonly perMinute: number
    readonly draw: Draw
    readonly onKill: (name: FunctionName, pid: number) => void
  },
): () => void {
  const { names, perMinute, draw, onKill } = options
  const timer = setInterval(() => {
    const name = names[Math.floor(draw() * names.length)]
    const pid = name === undefined ? undefined : killOne(cloud, name, draw)
    if (name !== undefined && pid !== undefined) onKill(name, pid)
  }, 60_000 / perMinute)
  return () => clearInterval(timer)
}
