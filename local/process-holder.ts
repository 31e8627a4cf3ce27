import { hostname } from 'node:os'
import { isProcessAlive, startTimeOf } from '../shared/platform/system/process-groups.ts'
import type { Holder } from '../shared/records/log.ts'
import type { GeneratorPorts } from '../shared/runtime/deployment/generator-ports.ts'

/** Returns the name of the user of this process, for display. */
export function findLocalUser(): string {
  return process.env['USER'] ?? process.env['LOGNAME'] ?? 'someone'
}

/** Returns this process as a holder. */
export function createProcessHolder(): Holder {
  // Options may contain confidential values. So only the first argument of lower-case letters is
  // recorded, which is normally the command.
  const [command = ''] = process.argv.slice(2).filter(word => /^[a-z]+$/.test(word))
  return {
    host: hostname(),
    pid: process.pid,
    started: startTimeOf(process.pid),
    who: `${findLocalUser()}: antichain ${command}`.slice(0, 200),
  }
}

/**
 * Creates the check whether a holder is alive. The check returns undefined, for unknown, if the
 * holder is on another host than this process.
 */
export function createHolderCheck(thisProcess: Holder): GeneratorPorts['isAlive'] {
  return holder => (holder.host === thisProcess.host ? isProcessAlive(holder) : undefined)
}
