import { delimiter, join } from 'node:path'
import type { CommandOptions, Sandbox } from '../e2e/sandbox.ts'

const hostsFolder = join(import.meta.dirname, 'hosts')

/**
 * Returns the variables that each run of Pulumi's command line needs in addition to those of a
 * sandbox. The callers set PULUMI_HOME and the backend.
 */
export function stockVariablesOf(
  sandbox: Pick<Sandbox, 'createEnvironment'>,
): NonNullable<CommandOptions['env']> {
  return {
    PATH: `${hostsFolder}${delimiter}${sandbox.createEnvironment()['PATH'] ?? ''}`,
    PULUMI_SKIP_UPDATE_CHECK: 'true',
    // AI agents set these variables. With them, the client asks a person to log in, for example.
    AI_AGENT: undefined,
    CLAUDECODE: undefined,
  }
}
