/**
 * aws: the common parts of functions on AWS: their resources, the events and responses of Lambda,
 * tasks of the long pool. It is the part of functions that depends on its process.
 */
import type { LoggerPort } from '../../shared/ports/system.ts'
import { homedir, hostname } from 'node:os'
import { STSClient } from '@aws-sdk/client-sts'
import type { Platform } from '../../shared/ports/platform.ts'
import type { Holder } from '../../shared/records/log.ts'
import { awsVariables } from '../../shared/config/aws-resource-names.ts'
import { type AwsResources, readAwsResources } from '../../shared/platform/aws/aws-resources.ts'
import {
  type AwsSettings,
  readAwsSettings,
  createClientConfig,
} from '../../shared/platform/aws/clients.ts'
import { createMetrics, type PutMetric } from '../../shared/platform/aws/metrics.ts'
import { createKmsKeeper } from '../../shared/platform/aws/kms-key-keeper.ts'
import { type AwsPlatform, createAwsPlatform } from '../../shared/platform/aws/aws-platform.ts'
import { createRoleAssumer } from '../../shared/platform/aws/roles.ts'
import { createSystemClock } from '../../shared/platform/system/clock.ts'
import { createLogger } from '../../shared/platform/system/logger.ts'
import { compact } from '../../shared/runtime/compaction/fold-and-publish.ts'
import { recordCompactionLag } from '../../shared/runtime/compaction/compaction-lag.ts'
import {
  createCompactionCaller,
  type Compact,
  createLambdaClient,
} from '../../shared/runtime/compaction/call-compaction.ts'
import type { StackServer } from '../../shared/runtime/deployment/stack-server-deps.ts'
import type { GeneratorPorts } from '../../shared/runtime/deployment/generator-ports.ts'
import { openManagerFromState } from '../../shared/secrets/secrets-from-state.ts'
import { createCredentialsEndpoint } from '../../shared/runtime/credentials/credentials-endpoint.ts'
import { clearScratch, createStackBinding } from './stack-binding.ts'
import { createPluginFetcher } from '../../shared/runtime/plugins/fetch-plugin.ts'
import { openStackSecrets } from '../../shared/runtime/credentials/open-stack-secrets.ts'
import { createProgramFolders } from '../../shared/runtime/programs/program-folder.ts'
import {
  openWithRepositories,
  type RepositoryDeps,
} from '../../shared/runtime/programs/repository-program.ts'
import {
  type AssumeRole,
  resolveStackVariables,
  withoutFunctionVariables,
} from '../../shared/runtime/credentials/stack-role.ts'
import { type AwsTriggers, openTriggers } from './open-triggers.ts'
import { createProcesses } from '../../shared/platform/system/processes.ts'
import { createArchivedProgramOpener } from '../../shared/runtime/programs/open-archived-program.ts'
import type { ProgramRequestDeps } from '../../shared/runtime/programs/program-request.ts'

/** The resources of an installation's functions, created once per process. */
export interface FunctionResources {
  readonly platform: AwsPlatform
  readonly places: AwsResources
  readonly metric: PutMetric
  /** Creates a generator or executor with an identity of its own. */
  readonly createServer: () => StackServer
  /** Creates a generator, which also fetches programs of repositories and sends notifications. */
  readonly createGenerator: () => StackServer
  /** Ends this environment, which serves one stack. Messages for other stacks were sent again. */
  readonly leave: () => void
}

type Env = Readonly<Record<string, string | undefined>>

/** Reads the environment of a function. Throws AWS_SETTINGS_INVALID. */
export function openFunctionResources(env: Env): FunctionResources {
  clearScratch(env)
  const { mayServe, leave } = createStackBinding()
  const settings = readAwsSettings(env)
  const resources = readAwsResources(env)
  const write = (line: string): void => void process.stdout.write(line)
  const logger = createLogger({ level: 'info', write })
  const installation = resources.get('installation')
  const putMetric = createMetrics({ installation, write, clock: createSystemClock() })
  const platform = createAwsPlatform({ settings, resources, logger, putMetric })
  const scratch = env['ANTICHAIN_SCRATCH'] ?? '/tmp/antichain'
  const keeper = createKmsKeeper(settings)
  const passphrase = env['PULUMI_CONFIG_PASSPHRASE']
  const programs: ProgramRequestDeps = {
    folders: createProgramFolders(platform.blobs, scratch),
    secretsOf: (stack, named) => openStackSecrets({ keeper, passphrase }, stack, named),
  }
  const assumed = createRoleAssumer({
    sts: new STSClient(createClientConfig(settings, 'STS')),
    installation,
    clock: platform.clock,
  })
  const { region } = settings
  const home = env['HOME'] ?? homedir()
  const { offer } = createCredentialsEndpoint(logger)
  const assume: AssumeRole = (role, { stack }) => assumed(role, stack)
  const resolveVariables: StackServer['resolveVariables'] = request =>
    resolveStackVariables({ env, region, home, assume, offer }, request)
  const fetchPlugin = createPluginFetcher(platform.plugins, {
    home,
    os: process.platform,
    arch: process.arch,
  })
  // Recorded at each attempt, so that repeated failures produce growing values.
  const compactHere: Compact = deployment =>
    compact(platform, deployment, at => recordCompactionLag(putMetric, platform.clock.now(), at))
  const compactBy = chooseCompaction(env, settings, { compactHere, logger })
  const createServer = (): StackServer => ({
    platform,
    requests: platform.requests,
    ports: createFunctionPorts(platform, compactBy),
    resolveVariables,
    mayServe,
    fetchPlugin,
    openState: named => openManagerFromState(named, passphrase, keeper),
    ...createArchivedProgramOpener(platform.requests, programs),
  })
  let triggers: AwsTriggers | undefined
  const createGenerator = (): StackServer => {
    triggers ??= openTriggers(env)
    const { outbound, documents, sealing } = triggers
    const { blobs, requests, clock } = platform
    const repositories: RepositoryDeps = {
      ...{ outbound, documents, sealing, blobs, requests, clock, scratch },
      folders: programs.folders,
      env: withoutFunctionVariables(env),
      processes: createProcesses,
    }
    const baseServer = createServer()
    return {
      ...baseServer,
      notifier: triggers,
      open: openWithRepositories(baseServer.open, repositories),
    }
  }
  return { platform, places: resources, metric: putMetric, createServer, createGenerator, leave }
}

/**
 * Returns compaction by its function, or in this process if the environment names none. Only
 * generators close deployments and know that function.
 */
function chooseCompaction(
  env: Env,
  settings: AwsSettings,
  { compactHere, logger }: { readonly compactHere: Compact; readonly logger: LoggerPort },
): Compact {
  const functionArn = env[awsVariables.compactionFunction] ?? ''
  if (functionArn === '') return compactHere
  const lambda = createLambdaClient(settings)
  return createCompactionCaller({ lambda, functionArn, compactHere, logger })
}

/**
 * Creates the ports of a generator in a function. Other functions are observed through their leases
 * only.
 */
function createFunctionPorts(platform: Platform, compactBy: Compact): GeneratorPorts {
  const holder: Holder = {
    host: hostname(),
    pid: process.pid,
    started: platform.random.uuid(),
    who: 'a function',
  }
  return {
    ...platform,
    here: new Set(),
    holder,
    compact: compactBy,
    isAlive: () => undefined,
    endGroup: () => undefined,
  }
}
