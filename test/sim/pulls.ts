import { readState } from '../../shared/runtime/compaction/fold-and-publish.ts'
import type { ServeRole } from '../../local/serve-stacks.ts'
import { removeOldRecords } from '../../shared/engine/deployment/retention/remove-old-records.ts'
import { verifyIntegrity } from '../../shared/state/snapshot-integrity.ts'
import { createWorldClock } from './clock.ts'
import type { Fault } from './faults.ts'
import type { Machine, SimProcess } from './machine.ts'
import type { HostName } from './node.ts'
import { type ProcessEnd, simStack, startCommand, startServing, startWork } from './process.ts'
import type { Step } from './scenario.ts'

/** What faults do beyond the effect that they strike: mostly, they bring other processes. */
export function pullerOf(
  machine: Machine,
  about: {
    readonly step: Step
    readonly isNewer: () => boolean
    /** Everything that is started goes here, to be awaited. */
    readonly others: Promise<unknown>[]
    readonly killFleet: () => void
  },
): (fault: Fault, process: SimProcess) => void {
  const { world } = machine
  const { step, others } = about
  const clock = createWorldClock(world.scheduler)
  let count = 0
  const rest = (process: SimProcess) => {
    count += 1
    const key = `${process.key}+${count}`
    return { key, faults: [], pulled: () => undefined, isNewer: about.isNewer() }
  }
  const command = async (
    process: SimProcess,
    asked: { readonly size: number; readonly host: HostName; readonly isNewer: boolean },
  ): Promise<ProcessEnd> => {
    const { size, ...as } = asked
    const how = { step, resume: size < 0.4, wait: size > 0.6 }
    const end = await startCommand(machine, { ...rest(process), ...as, ...how }).end
    if (end.kind === 'failed' && end.code === 'RECORD_TOO_NEW')
      world.covered('rule', 'newer rules are refused by name')
    return end
  }
  /** Serves for a while. */
  const older = async (process: SimProcess): Promise<ProcessEnd> => {
    const { host } = process
    const roles: ReadonlySet<ServeRole> = new Set(['generator', 'executor'])
    const as = { ...rest(process), host, roles, isNewer: false }
    const started = startServing(machine, as)
    await clock.sleep(10_000)
    started.stop()
    await Promise.race([started.end, clock.sleep(60_000)])
    started.launch.node.crash()
    return started.end
  }
  const elsewhere = ({ host }: SimProcess): HostName => (host === 'here' ? 'there' : 'here')
  return (fault, process) => {
    const { kind, size } = fault
    const { host } = process
    const isNewer = about.isNewer()
    const deployment = process.launch.deployment()
    const begin = (work: () => Promise<ProcessEnd>): void =>
      void others.push(
        work().then(end => {
          if (end.kind === 'failed' && end.code === 'INTERNAL')
            world.violate(`it broke: ${end.message}`)
        }),
      )
    if (kind === 'stopped from elsewhere' && deployment !== undefined)
      void world.byHand.stop(deployment, size < 0.5 ? 'graceful' : 'forced')
    if (kind === 'second trigger') begin(() => command(process, { size, host, isNewer }))
    if (kind === 'an older version comes by' && size < 0.5)
      begin(() => command(process, { size: size * 2, host, isNewer: false }))
    else if (kind === 'an older version comes by') begin(() => older(process))
    if (kind === 'everything is killed') {
      about.killFleet()
      process.node.crash()
    }
    if (kind === 'taken for dead by another host') {
      machine.suspect(process)
      begin(() => command(process, { size, host: elsewhere(process), isNewer }))
    }
    if (kind.endsWith('deposed meanwhile'))
      begin(async () => {
        await clock.sleep(92_000 + size * 30_000)
        return command(process, { size, host: elsewhere(process), isNewer })
      })
    if (kind === 'old records are removed')
      begin(() => startWork(machine, { ...rest(process), host }, removes).end)
    if (kind === 'the state is read meanwhile')
      begin(() => startWork(machine, { ...rest(process), host }, reads).end)
  }

  /** Removes what may be removed, as soon as nothing of it can land any more. */
  async function removes({ launch, ports }: SimProcess): Promise<undefined> {
    const { platform } = launch
    for (let times = 0; times < 4; times += 1) {
      const removed = await removeOldRecords(
        { ...platform, isAlive: ports.isAlive },
        { keeping: { recordsMs: 0, versions: 2 }, deploymentsMax: 3, dryRun: false },
      ).catch(() => ({ deployments: [], versions: [] }))
      if (removed.deployments.length > 0)
        world.covered('rule', 'records of a deployment are removed')
      if (removed.versions.length > 0) world.covered('rule', 'versions are removed')
      await platform.clock.sleep(20_000)
    }
    return undefined
  }

  /** Folds what is there while others write: whatever it meets must be whole. */
  async function reads({ key, launch }: SimProcess): Promise<undefined> {
    const { platform } = launch
    for (let times = 0; times < 12; times += 1) {
      const stack = await platform.catalog.getStack(simStack)
      if (stack === undefined) return undefined
      const state = await readState(platform, stack)
      const fault = verifyIntegrity(state)
      if (fault !== undefined) world.violate(`${key} read what is not whole: ${fault}`)
      world.covered('checked', 'a state that was read meanwhile is whole')
      await platform.clock.sleep(700)
    }
    return undefined
  }
}
