import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createProcesses } from '../../shared/platform/system/processes.ts'
import { createSystemClock } from '../../shared/platform/system/clock.ts'
import { removeFunctionVariables } from '../../shared/runtime/credentials/stack-role.ts'
import { readAddressRules } from '../../shared/runtime/environment/address-rules.ts'
import type { InstallAnswer } from '../../shared/runtime/programs/install-job.ts'
import { createOutbound } from '../../shared/triggers/outbound/outbound.ts'
import { clearScratch } from '../aws/stack-binding.ts'
import { serveInstall } from './serve-install.ts'
import { createSingleCallCheck } from '../aws/single-call.ts'

clearScratch(process.env)
const requireFirstCall = createSingleCallCheck()
const deps = {
  outbound: createOutbound(readAddressRules(process.env)),
  clock: createSystemClock(),
  scratch: join(tmpdir(), 'antichain'),
  env: removeFunctionVariables(process.env),
  processes: createProcesses,
}

/** The Lambda handler of the installer, which a generator calls. */
export const handler = async (event: unknown): Promise<InstallAnswer> => {
  requireFirstCall()
  return serveInstall(deps, event)
}
