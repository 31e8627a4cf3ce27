/**
 * aws: the code that all functions on AWS share. It opens their resources, reads the events and
 * writes the responses of Lambda, and runs the tasks of the long pool.
 */
import type { LoggerPort } from '../../shared/ports/system.ts'
import { homedir, hostname } from 'node:os'
import { STSClient } from '@aws-sdk/client-sts'
import type { UsagePart } from '../../shared/records/usage.ts'
import type { Holder } from '../../shared/records/log.ts'
import { awsLimits } from '../../shared/config/aws-limits.ts'
import { awsVariables } from '../../shared/config/aws-resource-names.ts'
import { type AwsResources, readAwsResources } from '../../shared/platform/aws/aws-resources.ts'
import { withGroupBoundary } from './group-boundary.ts'
import {
  type AwsSettings,
  readAwsSettings,
  createClientConfig,
} from '../../shared/platform/aws/clients.ts'
import { createUsageMeter } from '../../shared/platform/aws/usage-meter.ts'
import { type CallScaler, openScalerCaller } from '../../shared/platform/aws/call-scaler.ts'
import { createMetricWriter, type PutMetric } from '../../shared/platform/aws/metrics.ts'
import { createLambdaClient } from '../../shared/platform/aws/lambda-client.ts'
import { type AwsPlatform, createAwsPlatform } from '../../shared/platform/aws/aws-platform.ts'
import { createRoleAssumer } from '../../shared/platform/aws/roles.ts'
import { createSystemClock } from '../../shared/platform/system/clock.ts'
import { createMeasuredCompact } from '../../shared/runtime/compaction/measured-compact.ts'
import {
  type Compact,
  createCompactionCaller,
} from '../../shared/runtime/compaction/call-compaction.ts'
import type { StackServerDeps } from '../../shared/runtime/deployment/stack-server-deps.ts'
import type { GeneratorPorts } from '../../shared/runtime/deployment/generator-ports.ts'
import { createCredentialsEndpoint } from '../../shared/runtime/credentials/credentials-endpoint.ts'
import { openLogs } from './open-logs.ts'
import { createSecretsOpeners } from './secrets-openers.ts'
import { readProcessSize } from './process-size.ts'
import { createUsageRecorder, type UsageRecorder } from './usage-recorder.ts'
import { clearScratch, createStackBinding, type StackBinding } from './stack-binding.ts'
import { createPluginAcquirer } from '../../shared/runtime/plugins/acquire-plugin.ts'
import { createPluginFetcher, type FetchPlugin } from '../../shared/runtime/plugins/fetch-plugin.ts'
import { createProgramFolders } from '../../shared/runtime/programs/program-folder.ts'
import {
  type AssumeRole,
  resolveStackVariables,
} from '../../shared/runtime/credentials/stack-role.ts'
import { createRequestAuthorization } from '../../shared/runtime/credentials/authorize-request.ts'
import { type AwsTriggers, openTriggers } from './open-triggers.ts'
import { createGeneratorOpeners } from './generator-openers.ts'
import { createArchivedProgramOpener } from '../../shared/runtime/programs/open-archived-program.ts'
import type { ProgramRequestDeps } from '../../shared/runtime/programs/program-request.ts'

/** The resources of an installation's functions, created once per process. */
export interface FunctionResources {
  readonly platform: AwsPlatform
  readonly awsResources: AwsResources
  readonly putMetric: PutMetric
  /** Calls the scaler of the long pool. Absent where no variable names the scaler. */
  readonly callScaler?: CallScaler
  /** Creates the dependencies of an executor, with a new identity. */
  readonly createExecutorDeps: () => StackServerDeps
  /**
   * Creates the dependencies of a generator, with a new identity. A generator also fetches programs
   * from repositories and sends notifications.
   */
  readonly createGeneratorDeps: () => StackServerDeps
  /**
   * Reports whether the program of an unreviewed preview has run here. This environment must then
   * end.
   */
  readonly hasRunUnreviewed: StackBinding['hasRunUnreviewed']
  /**
   * Ends this environment, which serves one stack. The caller must first send the messages for
   * other stacks again.
   */
  readonly endEnvironment: StackBinding['endEnvironment']
  /** Records the usage of each call, for the costs of deployments. */
  readonly usage: UsageRecorder
}

type Env = Readonly<Record<string, string | undefined>>

/**
 * Empties the scratch space, and opens the resources that the variables of a function name. `part`
 * is the part of the installation in the records of usage. Throws AWS_SETTINGS_INVALID.
 */
export function openFunctionResources(env: Env, part: UsagePart): FunctionResources {
  clearScratch(env)
  const { mayServe, recordUnreviewedRun, hasRunUnreviewed, endEnvironment } = createStackBinding()
  const meter = createUsageMeter()
  const settings = { ...readAwsSettings(env), meter }
  const awsResources = readAwsResources(env)
  const write = (line: string): void => void process.stdout.write(line)
  const { telemetry, logger } = openLogs(env, write)
  const installation = awsResources.get('installation')
  const clock = createSystemClock()
  const putMetric = createMetricWriter({ installation, write, clock })
  const scalerField = openScalerField(env, settings, { awsResources, clock, logger })
  const ownPlatform = createAwsPlatform({
    ...{ settings, resources: awsResources, logger, telemetry, ...scalerField },
  })
  const platform = { ...ownPlatform, catalog: withGroupBoundary(env, ownPlatform.catalog) }
  const size = readProcessSize(env)
  const usage = createUsageRecorder({ ...platform, meter, part, size })
  const scratch = env['ANTICHAIN_SCRATCH'] ?? '/tmp/antichain'
  const passphrase = env['PULUMI_CONFIG_PASSPHRASE']
  const secretsDeps = { settings, awsResources, platform, passphrase }
  const { openSecrets, openStateManager } = createSecretsOpeners(secretsDeps)
  const folders = createProgramFolders(platform.archives, scratch)
  const programDeps: ProgramRequestDeps = { folders, openSecrets }
  const home = env['HOME'] ?? homedir()
  const resolveVariables = createVariableResolver(
    { env, settings, home },
    { platform, installation, recordUnreviewedRun },
  )
  const target = { home, os: process.platform, arch: process.arch }
  const fetchPlugin = createPluginFetcher(platform.plugins, target)
  const compactHere = createMeasuredCompact(platform, putMetric)
  const compactDeployment = chooseCompaction(env, settings, { compactHere, logger })
  const createExecutorDeps = (): StackServerDeps => ({
    platform,
    requests: platform.requests,
    ports: createFunctionPorts(platform, compactDeployment),
    resolveVariables,
    mayServe,
    assignUsage: usage.assign,
    fetchPlugin,
    openStateManager,
    ...createArchivedProgramOpener(platform.requests, programDeps),
  })
  let triggers: AwsTriggers | undefined
  let acquirePlugin: FetchPlugin | undefined
  let openers: Pick<StackServerDeps, 'open' | 'reopen'> | undefined
  const createGeneratorDeps = (): StackServerDeps => {
    triggers ??= openTriggers(env, { logs: { telemetry, logger }, meter })
    acquirePlugin ??= createAcquiringFetcher(platform, triggers, { ...target, scratch })
    const executorDeps = createExecutorDeps()
    const openerDeps = { settings, awsResources, platform, triggers, folders, scratch, env }
    openers ??= createGeneratorOpeners(executorDeps, openerDeps)
    return {
      ...executorDeps,
      fetchPlugin: acquirePlugin,
      inlineOperationsMax: Number(awsResources.get('inlineMax')),
      notifier: triggers,
      authorization: createRequestAuthorization({
        requests: platform.requests,
        documents: triggers.documents,
      }),
      ...openers,
    }
  }
  return {
    ...{ platform, awsResources, putMetric, createExecutorDeps, createGeneratorDeps },
    ...{ ...scalerField, hasRunUnreviewed, endEnvironment, usage },
  }
}

/** Opens the caller of the scaler, for the functions and tasks whose variable names it. */
function openScalerField(
  env: Env,
  settings: AwsSettings,
  deps: Parameters<typeof openScalerCaller>[2] & { readonly awsResources: AwsResources },
): Pick<FunctionResources, 'callScaler'> {
  if ((env[awsVariables.scalerFunction] ?? '') === '') return {}
  return { callScaler: openScalerCaller(settings, deps.awsResources, deps) }
}

/** Creates the fetcher of a generator, which also downloads missing plugins of allowed sources. */
function createAcquiringFetcher(
  { plugins: store, clock, logger }: AwsPlatform,
  { outbound, documents, sealing }: AwsTriggers,
  target: Parameters<typeof createPluginFetcher>[1] & { readonly scratch: string },
): FetchPlugin {
  const { os, arch, scratch } = target
  const deps = { store, documents, sealing, outbound, clock, logger, scratch, os, arch }
  return createPluginFetcher(store, target, createPluginAcquirer(deps))
}

/**
 * Creates the resolver of the variables of programs and plugins, with credentials of the stack's
 * role. The resolver records the run of an unreviewed program before the program starts.
 */
function createVariableResolver(
  {
    env,
    settings,
    home,
  }: { readonly env: Env; readonly settings: AwsSettings; readonly home: string },
  deps: Pick<StackBinding, 'recordUnreviewedRun'> & {
    readonly platform: AwsPlatform
    readonly installation: string
  },
): NonNullable<StackServerDeps['resolveVariables']> {
  const { platform, installation, recordUnreviewedRun } = deps
  const { region } = settings
  const assumeStackRole = createRoleAssumer({
    sts: new STSClient(createClientConfig(settings, 'STS')),
    installation,
    clock: platform.clock,
  })
  const { offer } = createCredentialsEndpoint(platform.logger)
  const assume: AssumeRole = (role, { stack }) => assumeStackRole(role, stack)
  return async request => {
    const variables = await resolveStackVariables({ env, region, home, assume, offer }, request)
    if (request.reviewedConfig !== undefined) recordUnreviewedRun()
    return variables
  }
}

/**
 * Returns the function that compacts a deployment. It calls the compaction function if a variable
 * names it, and otherwise compacts in this process. Executors do not have the variable, because
 * they close no deployments.
 */
function chooseCompaction(
  env: Env,
  settings: AwsSettings,
  { compactHere, logger }: { readonly compactHere: Compact; readonly logger: LoggerPort },
): Compact {
  const functionArn = env[awsVariables.compactionFunction] ?? ''
  if (functionArn === '') return compactHere
  const lambda = createLambdaClient(settings, awsLimits.compactionResponseTimeoutMs)
  return createCompactionCaller({ lambda, functionArn, compactHere, logger })
}

/**
 * Creates the ports of a generator or executor in a function. A function cannot see other
 * processes, so only their leases show whether they are alive.
 */
function createFunctionPorts(platform: AwsPlatform, compactDeployment: Compact): GeneratorPorts {
  const holder: Holder = {
    host: hostname(),
    pid: process.pid,
    started: platform.random.uuid(),
    who: 'a function',
  }
  return {
    ...platform,
    ownDeployments: new Set(),
    holder,
    compact: compactDeployment,
    isAlive: () => undefined,
    endProcessGroup: () => undefined,
  }
}
