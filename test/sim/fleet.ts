import type { ServeRole } from '../../local/serve-stacks.ts'
import { createWorldClock } from './clock.ts'
import type { Fault } from './faults.ts'
import type { Machine, SimProcess } from './machine.ts'
import type { HostName } from './node.ts'
import { startServing, type StartedProcess } from './process.ts'

/** Processes that run operations for others. A dead one is restarted. */
export interface SimFleet {
  /** Shuts all processes down. Resolves when they have ended or were killed after a limit. */
  readonly end: () => Promise<void>
  /** Kills all running processes; they are restarted. */
  readonly killAll: () => void
  /** Shuts all running processes down; they are restarted in the version that is then in use. */
  readonly replace: () => void
  /** Returns the number of effects of the first process of each place. */
  readonly effects: () => readonly number[]
}

/** Time that a process may take to shut down, in virtual ms. */
const endWithinMs = 300_000

/**
 * Starts the fleet. A dead process is restarted within 20 seconds, in the version that is then in
 * use. The first place sometimes also resumes deployments without a generator.
 */
export function startFleet(
  machine: Machine,
  options: {
    readonly key: string
    readonly hosts: readonly HostName[]
    readonly faults: readonly Fault[]
    readonly isNewer: () => boolean
    readonly onFault: (fault: Fault, process: SimProcess) => void
  },
): SimFleet {
  const { world } = machine
  const clock = createWorldClock(world.scheduler)
  const draw = world.draw.fork(`fleet ${options.key}`)
  const running = new Map<number, StartedProcess>()
  const effects: number[] = options.hosts.map(() => 0)
  let isOver = false
  const keepRunning = async (host: HostName, at: number): Promise<void> => {
    const roles: ReadonlySet<ServeRole> = new Set(
      at === 0 && draw.chance(0.5) ? ['generator', 'executor'] : ['executor'],
    )
    for (let life = 0; !isOver; life += 1) {
      const faults = options.faults.filter(fault => fault.who === at + 1 && fault.life === life)
      const started = startServing(machine, {
        key: `${options.key}.e${at + 1}.${life}`,
        host,
        isNewer: options.isNewer(),
        faults,
        roles,
        onFault: options.onFault,
      })
      running.set(at, started)
      const end = await started.end
      if (life === 0) effects[at] = started.launch.effects()
      running.delete(at)
      if (end.kind === 'failed' && end.code === 'INTERNAL')
        world.violate(`internal error: ${end.message}`)
      if (!isOver) world.cover('rule', 'a process is started again')
      if (!isOver) await clock.sleep(draw.whole(200, 20_000))
    }
  }
  const kept = options.hosts.map(keepRunning)
  return {
    async end() {
      isOver = true
      for (const started of running.values()) started.stop()
      await Promise.race([Promise.all(kept), clock.sleep(endWithinMs)])
      for (const { launch } of running.values()) launch.node.crash()
    },
    killAll() {
      for (const { launch } of running.values()) launch.node.crash()
    },
    replace() {
      for (const started of running.values()) started.stop()
    },
    effects: () => effects.map((count, at) => running.get(at)?.launch.effects() ?? count),
  }
}
