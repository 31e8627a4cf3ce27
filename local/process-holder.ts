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
 * Creates the check whether a holder is alive. The check returns undefined for a holder on another
 * host than `own`.
 */
export function createHolderCheck(own: Holder): GeneratorPorts['isAlive'] {
  return other => (other.host === own.host ? isProcessAlive(other) : undefined)
}
