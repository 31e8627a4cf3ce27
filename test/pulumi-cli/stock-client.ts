import { mkdtempSync, rmSync } from 'node:fs'
import { stockVariablesOf } from './stock-variables.ts'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type CommandOptions,
  type CommandOutput,
  createSandbox,
  requireSuccess,
  type RunningCommand,
  type Sandbox,
  type SandboxOptions,
  waitUntil,
} from '../e2e/sandbox.ts'

/** A sandbox with a running `antichain serve`, and Pulumi's own command line as its client. */
export interface StockClient {
  readonly sandbox: Sandbox
  readonly url: string
  readonly token: string
  /** The variables of Pulumi's command line in addition to those of the sandbox. */
  readonly variables: NonNullable<CommandOptions['env']>
  /** Runs Pulumi's command line in the folder of the program. `input`: its standard input. */
  readonly pulumi: (
    args: readonly string[],
    env?: CommandOptions['env'],
    input?: string,
  ) => Promise<CommandOutput>
  readonly startPulumi: (
    args: readonly string[],
    env?: CommandOptions['env'],
    input?: string,
  ) => RunningCommand
  /** Runs the command line of Antichain with the home folder of the server. */
  readonly antichain: Sandbox['run']
  /** Kills the server, and starts another one at the same address. */
  readonly restartServer: () => Promise<void>
  readonly remove: () => Promise<void>
}

/** The options of a client. `serverEnv`: further variables of the server. */
export interface StockClientOptions extends SandboxOptions {
  readonly serverEnv?: NonNullable<CommandOptions['env']>
}

/** Starts a server, and prepares a client whose command line is the program at `cli`. */
export async function openStockClient(
  cli: string,
  fixture = 'small',
  options: StockClientOptions = {},
): Promise<StockClient> {
  const { serverEnv = {}, ...sandboxOptions } = options
  const sandbox = createSandbox(fixture, sandboxOptions)
  const startServer = (port: number): ReturnType<typeof startServerOf> =>
    startServerOf(sandbox, port, serverEnv)
  const clientHome = mkdtempSync(join(tmpdir(), 'antichain-pulumi-home-'))
  let [server, url] = await startServer(0)
  const token = requireSuccess(await sandbox.run(['token', 'create', '--admin'])).out.trim()
  const variables = {
    ...stockVariablesOf(sandbox),
    PULUMI_HOME: clientHome,
    HOME: clientHome,
    PULUMI_BACKEND_URL: url,
    PULUMI_ACCESS_TOKEN: token,
    PULUMI_CONFIG_PASSPHRASE: undefined,
  }
  const startPulumi: StockClient['startPulumi'] = (args, env = {}, input = '') =>
    sandbox.start(['--non-interactive', ...args], {
      command: cli,
      env: { ...variables, ...env },
      input,
    })
  const endServer = async (): Promise<void> => {
    server.kill('SIGKILL', 'group')
    await server.done
  }
  return {
    sandbox,
    url,
    token,
    variables,
    startPulumi,
    pulumi: (args, env, input) => startPulumi(args, env, input).done,
    antichain: sandbox.run,
    async restartServer() {
      await endServer()
      ;[server, url] = await startServer(Number(new URL(url).port))
    },
    async remove() {
      await endServer()
      sandbox.remove()
      rmSync(clientHome, { recursive: true, force: true })
    },
  }
}

/**
 * Returns the warnings in the output of Pulumi's command line. It omits those that name a plugin of
 * the tests, because these plugins are on the PATH.
 */
export function findWarnings({ out, err }: CommandOutput): readonly string[] {
  const pluginWarning = /warning: using pulumi-(?:language|resource)-\w+ from \$PATH/
  return `${out}\n${err}`
    .split('\n')
    .filter(line => line.includes('warning:') && !pluginWarning.test(line))
}

async function startServerOf(
  sandbox: Sandbox,
  port: number,
  env: NonNullable<CommandOptions['env']>,
): Promise<[server: RunningCommand, url: string]> {
  const server = sandbox.start(['serve', '--port', String(port)], { env })
  const address = /The API is at (http:\/\/127\.0\.0\.1:\d+)/
  const isListening = (): boolean => address.test(server.readOutput())
  await waitUntil(isListening, { condition: 'a listening server', limitMs: 60_000 })
  return [server, address.exec(server.readOutput())?.[1] ?? '']
}
