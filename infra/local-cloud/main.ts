/**
 * `npm run cloud`: runs an installation on this machine. Installs and starts the emulators, creates
 * the services, bundles the functions and runs them until it gets a shutdown signal. With
 * `--deploy <folder>` it deploys that program to the stack of `--stack` and exits. With `--destroy`
 * it destroys the resources again before it exits.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createFirstToken } from '../../functions/api/first-token.ts'
import { DeployError, createError, messageOf } from '../../shared/errors/error.ts'
import { outboundVariables } from '../../shared/config/outbound-variables.ts'
import { localCloudLimits } from '../../shared/config/local-cloud-limits.ts'
import { readAwsSettings, type AwsSettings } from '../../shared/platform/aws/clients.ts'
import { readProject } from '../../shared/programs/project/project-file.ts'
import { stackIdOf } from '../../shared/records/ids.ts'
import type { Command } from '../../shared/records/log.ts'
import { createAssets } from '../assets.ts'
import { installEmulator } from '../emulators/install-emulator.ts'
import { emulators } from '../emulators/emulators.ts'
import { type Emulators, startEmulators } from '../emulators/start-emulators.ts'
import { functionsTable } from '../functions-table.ts'
import { readInstallationSettings } from '../settings.ts'
import { type CloudOptions, type LocalCloud, startCloud } from './cloud.ts'
import { findSandboxSupport } from './sandbox.ts'
import { openControlClient } from './control-client.ts'
import { startRandomKills } from './random-kills.ts'
import { createCallReporter } from './call-reporter.ts'
import { createProcessFolderPrefix, removeStaleFolders } from '../stale-folders.ts'
import { watchShutdownSignal } from '../shutdown-signal.ts'
import { type CloudArgs, cloudHelp, parseCloudArgs } from './argv.ts'

const report = (line: string): void => console.log(`· ${line}`)

/** Prefix of the folders of runs; the process id follows. */
const folderPrefix = 'antichain-cloud-'

async function main(args: CloudArgs): Promise<number> {
  const installResults = []
  const awsEmulators = emulators.filter(({ services }) =>
    services.every(service => !['VAULT', 'GCS', 'AZBLOB'].includes(service)),
  )
  for (const row of awsEmulators)
    installResults.push(await installEmulator(row, process.env, report))
  for (const result of installResults)
    if (result.kind === 'missing')
      throw createError('PLATFORM_EMULATOR_MISSING', `${result.row.name}: ${result.reason}`)
  // From here on, this process creates folders that it must remove, and processes that it must end.
  // So a shutdown signal takes effect only after emulators and functions have started.
  const shutdown = watchShutdownSignal()
  try {
    removeStaleFolders(folderPrefix)
    const runningEmulators = await startEmulators(
      installResults.filter(result => result.kind === 'installed'),
    )
    return await runCloud(args, runningEmulators, shutdown.whenReceived)
  } finally {
    shutdown.release()
  }
}

async function runCloud(
  args: CloudArgs,
  runningEmulators: Emulators,
  shutdown: Promise<undefined>,
): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), createProcessFolderPrefix(folderPrefix)))
  try {
    // Clients of this process find the emulators by the same variables as clients in functions.
    Object.assign(process.env, runningEmulators.variables)
    const aws = readAwsSettings(process.env)
    const cloud = await startFunctions(args, runningEmulators, { aws, folder })
    const stopKills = startKillsIfRequested(args, cloud)
    try {
      if (args.deploy !== undefined) {
        const deployment = deployFolder(args, { aws, cloud, folder: args.deploy })
        // A number is the exit status of the deployment, and a text reports an emulator's exit.
        const end = await Promise.race([deployment, shutdown, runningEmulators.unexpectedExit])
        if (typeof end === 'number') return end
        if (end !== undefined) throw createError('PLATFORM_FAILED', end)
        throw createError(
          'PLATFORM_FAILED',
          'the deployment was abandoned, because you stopped the local cloud',
        )
      }
      await reportLogin(aws, cloud)
      report('press Ctrl-C to stop')
      const reason = await Promise.race([runningEmulators.unexpectedExit, shutdown])
      if (reason !== undefined) throw createError('PLATFORM_FAILED', reason)
      return 0
    } finally {
      stopKills()
      await cloud.end()
    }
  } finally {
    await runningEmulators.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Bundles and runs the functions whose entry files exist. */
async function startFunctions(
  args: CloudArgs,
  { variables }: Emulators,
  { aws, folder }: { readonly aws: AwsSettings; readonly folder: string },
): Promise<LocalCloud> {
  const telemetryEndpoint = process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] ?? ''
  const settings = readInstallationSettings({
    'antichain:region': aws.region,
    'antichain:executorsMax': args.executors,
    ...(telemetryEndpoint === '' ? {} : { 'antichain:telemetryEndpoint': telemetryEndpoint }),
  })
  if ('problems' in settings) throw createError('CLI_USAGE', settings.problems.join('; '))
  const startedMs = performance.now()
  const assets = createAssets('existing', join(folder, 'bundles'))
  const bundleFolders = new Map(functionsTable.map(row => [row.name, assets.bundleFunction(row)]))
  report(`bundled the functions in ${((performance.now() - startedMs) / 1000).toFixed(1)} s`)
  const { PATH = '', PULUMI_CONFIG_PASSPHRASE = demoPassphrase } = process.env
  if (process.env['PULUMI_CONFIG_PASSPHRASE'] === undefined)
    report(`PULUMI_CONFIG_PASSPHRASE is not set: functions use '${demoPassphrase}'`)
  const cloud = await startCloud({
    settings,
    aws,
    bundleOf: row =>
      assets.missingEntries.has(row.entry) ? undefined : bundleFolders.get(row.name),
    folder: join(folder, 'functions'),
    ...createSandboxOptions(),
    variables: {
      ...variables,
      PATH: process.env['ANTICHAIN_USER_PATH'] ?? PATH,
      PULUMI_CONFIG_PASSPHRASE,
      ...readOutboundVariables(),
    },
    webhookPort: args.webhookPort,
    apiPort: args.apiPort,
    servicePort: args.servicePort,
    compactionIntervalMs: args.tidySeconds * 1_000,
    reporter: createCallReporter(report, args.verbose),
  })
  report(`installation '${settings.installation}' is running: ${cloud.functionNames.join(', ')}`)
  report(`webhooks are received at ${cloud.webhookUrl}<name>`)
  for (const entry of assets.missingEntries) report(`missing entry file: ${entry}`)
  for (const [name, value] of Object.entries(variables))
    if (name.endsWith('_ENDPOINT')) report(`${name}=${value}`)
  return cloud
}

/** Returns the option for sandboxes, or reports why this machine has none. */
function createSandboxOptions(): Pick<CloudOptions, 'sandbox'> {
  const support = findSandboxSupport()
  if (support.kind === 'supported') return { sandbox: { writableFolders: [] } }
  report(`functions run without the sandbox of Lambda: ${support.reason}`)
  return {}
}

/**
 * Returns the variables that allow calls to servers on this machine, if the environment has them.
 */
function readOutboundVariables(): Readonly<Record<string, string>> {
  const variables = Object.values(outboundVariables).map(name => [name, process.env[name]] as const)
  return Object.fromEntries(
    variables.filter((pair): pair is [(typeof pair)[0], string] => pair[1] !== undefined),
  )
}

/** Prints how to use the API, with a token that is valid for this run. */
async function reportLogin(aws: AwsSettings, cloud: LocalCloud): Promise<void> {
  const client = openControlClient(aws, cloud.services)
  try {
    const creator = { userName: 'npm run cloud', clientAddress: 'this machine' }
    const { token } = await createFirstToken(client.platform, creator, { name: 'admin' })
    report(`the API is at ${cloud.apiUrl}; to use its stacks, run:`)
    console.log(`antichain login ${cloud.apiUrl} --token ${token}`)
    report("to use them with Pulumi's own command line, run:")
    console.log(`PULUMI_ACCESS_TOKEN=${token} pulumi login ${cloud.serviceUrl}`)
  } finally {
    client.close()
  }
}

/** Kills environments at random with `--kills-per-minute`, as may happen on AWS. */
function startKillsIfRequested(
  { killsPerMinute: perMinute }: CloudArgs,
  cloud: LocalCloud,
): () => void {
  if (perMinute === 0) return () => undefined
  const { functionNames: names } = cloud
  const onKill = (name: string, pid: number): void => report(`${name} [${pid}] was killed`)
  return startRandomKills(cloud, { names, perMinute, draw: Math.random, onKill })
}

/** A fixed passphrase is sufficient for a cloud that exists only during this run. */
const demoPassphrase = 'antichain-cloud'

async function deployFolder(
  args: CloudArgs,
  target: { readonly aws: AwsSettings; readonly cloud: LocalCloud; readonly folder: string },
): Promise<number> {
  const { aws, cloud, folder } = target
  const client = openControlClient(aws, cloud.services)
  try {
    const stack = stackIdOf(readProject(folder).name, args.stack)
    await client.platform.catalog.createStack(stack, client.platform.clock.now())
    const program = await client.upload(folder)
    const commands: readonly Command[] = args.destroy ? ['up', 'destroy'] : ['up']
    for (const command of commands) {
      const key = await client.requestDeployment({ stack, command, program })
      const end = await client.awaitEnd(stack, key, localCloudLimits.deploymentTimeoutMs)
      if (!('deployment' in end) || !('result' in end)) throw refusalErrorOf(end)
      const changes = Object.entries(end.changes ?? {}).map(([op, count]) => `${op} ${count}`)
      report(`${command} of ${stack}: ${end.result} (${changes.join(', ')})`)
      if (end.result !== 'succeeded') return 1
    }
    return 0
  } finally {
    client.close()
  }
}

function refusalErrorOf(end: object): DeployError {
  const reason = 'message' in end ? String(end.message) : JSON.stringify(end)
  return createError('DEPLOYMENT_FAILED', `the request was refused: ${reason}`, {
    hint: 'Correct the problem named in the message, and run the command again.',
  })
}

try {
  const args = parseCloudArgs(process.argv.slice(2))
  if (args.help) console.log(cloudHelp)
  else process.exitCode = await main(args)
} catch (thrown) {
  const isDeployError = thrown instanceof DeployError
  console.error(
    isDeployError
      ? `error[${thrown.code}]: ${thrown.message}\n  hint: ${thrown.hint}`
      : `error: ${messageOf(thrown)}`,
  )
  process.exitCode = 1
}
