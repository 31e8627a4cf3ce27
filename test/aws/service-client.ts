import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createToken } from '../../shared/api/issue-token.ts'
import {
  type CommandOptions,
  type CommandOutput,
  createSandbox,
  type RunningCommand,
  type Sandbox,
} from '../e2e/sandbox.ts'
import { buildPulumiCli, cliVersions } from '../pulumi-cli/build-cli.ts'
import type { CloudSandbox } from './cloud-sandbox.ts'
import { stockVariablesOf } from '../pulumi-cli/stock-variables.ts'

/** Pulumi's own command line as a client of a local cloud, with a program folder of its own. */
export interface ServiceClient {
  /** The folders of the client. Its provider creates objects in the cloud of the installation. */
  readonly sandbox: Sandbox
  readonly pulumi: (args: readonly string[], env?: CommandOptions['env']) => Promise<CommandOutput>
  readonly startPulumi: (args: readonly string[], env?: CommandOptions['env']) => RunningCommand
  readonly remove: () => void
}

/**
 * Removes the stack that the sandbox created, and prepares a client with a token of the role
 * `admin`. The client can then create the stack itself.
 */
export async function openServiceClient(
  sandbox: CloudSandbox,
  fixture: string,
): Promise<ServiceClient> {
  const cli = buildPulumiCli(cliVersions[0])
  const { platform } = sandbox.control
  await platform.catalog.removeStack(sandbox.stack)
  const { token } = await createToken(platform, { name: 'laptop', role: 'admin' })
  const client = createSandbox(fixture)
  const clientHome = mkdtempSync(join(tmpdir(), 'antichain-pulumi-home-'))
  const startPulumi: ServiceClient['startPulumi'] = (args, env = {}) => {
    const variables = {
      ...stockVariablesOf(client),
      PULUMI_HOME: clientHome,
      HOME: clientHome,
      PULUMI_BACKEND_URL: sandbox.cloud.serviceUrl,
      PULUMI_ACCESS_TOKEN: token,
      PULUMI_CONFIG_PASSPHRASE: undefined,
      GOLD_CLOUD: sandbox.cloudFolder,
      ...env,
    }
    return client.start(['--non-interactive', ...args], { command: cli, env: variables })
  }
  return {
    sandbox: client,
    startPulumi,
    pulumi: (args, env) => startPulumi(args, env).done,
    remove: () => {
      client.remove()
      rmSync(clientHome, { recursive: true, force: true })
    },
  }
}
