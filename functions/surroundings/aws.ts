/**
 * surroundings: what a function has around it: programs and their folders, secrets, the environment
 * of programs and plugins, ports; the only part of functions that meets the process it runs in.
 */
import { homedir, hostname } from 'node:os'
import { STSClient } from '@aws-sdk/client-sts'
import type { Platform } from '../../shared/ports/platform.ts'
import type { Holder } from '../../shared/records/log.ts'
import { awsVariables } from '../../shared/config/aws-places.ts'
import { type AwsPlaces, awsPlaces } from '../../shared/platform/aws/places.ts'
import { awsSettings, clientConfig } from '../../shared/platform/aws/clients.ts'
import { createMetrics, type PutMetric } from '../../shared/platform/aws/metrics.ts'
import { createKmsKeeper } from '../../shared/platform/aws/keys.ts'
import { type AwsPlatform, createAwsPlatform } from '../../shared/platform/aws/platform.ts'
import { createRoles } from '../../shared/platform/aws/roles.ts'
import { createSystemClock } from '../../shared/platform/system/clock.ts'
import { createLog } from '../../shared/platform/system/log.ts'
import { compact } from '../compaction/handle.ts'
import { tellCompactionLag } from '../compaction/lag.ts'
import { byFunction, type Compact, createLambda } from './call-compaction.ts'
import type { StackServer } from '../step-generator/serve-stack.ts'
import type { GeneratorPorts } from '../step-generator/start.ts'
import { managerFromState } from '../../shared/secrets/manager.ts'
import { createCredentialsEndpoint } from './credentials-endpoint.ts'
import { clearScratch, createOneStack } from './one-stack.ts'
import { createPluginFetch } from './plugin-folder.ts'
import { openSecrets } from './open-secrets.ts'
import { createProgramFolders } from './program-folder.ts'
import { openWithRepositories, type RepositoryDeps } from './repository-program.ts'
import { type AssumeRole, stackEnvironment, withoutOwn } from './stack-role.ts'
import { type AwsTriggers, openTriggers } from './aws-triggers.ts'
import { createProcesses } from '../../shared/platform/system/processes.ts'
import { archivedRequests } from './archived-request.ts'
import type { ProgramRequestDeps } from './program-request.ts'

/** What functions of an installation work with, made once for each process. */
export interface AwsSurroundings {
  readonly platform: AwsPlatform
  readonly places: AwsPlaces
  readonly metric: PutMetric
  /** A generator or executor with an identity of its own. */
  readonly server: () => StackServer
  /** The same for a generator, who opens programs of repositories and tells what came of them. */
  readonly generator: () => StackServer
  /** Ends this environment, which is for one stack; what is for others was sent again. */
  readonly leave: () => void
}

type Env = Readonly<Record<string, string | undefined>>

/** Reads the environment of a function. Throws AWS_SETTINGS_INVALID. */
export function openAws(env: Env): AwsSurroundings {
  clearScratch(env)
  const { mayServe, leave } = createOneStack()
  const settings = awsSettings(env)
  const places = awsPlaces(env)
  const write = (line: string): void => void process.stdout.write(line)
  const log = createLog({ level: 'info', write })
  const installation = places.of('installation')
  const metric = createMetrics({ installation, write, clock: createSystemClock() })
  const platform = createAwsPlatform({ settings, places, log, metric })
  const scratch = env['ANTICHAIN_SCRATCH'] ?? '/tmp/antichain'
  const keeper = createKmsKeeper(settings)
  const passphrase = env['PULUMI_CONFIG_PASSPHRASE']
  const programs: ProgramRequestDeps = {
    folders: createProgramFolders(platform.blobs, scratch),
    secretsOf: (stack, named) => openSecrets({ keeper, passphrase }, stack, named),
  }
  const assumed = createRoles({
    sts: new STSClient(clientConfig(settings, 'STS')),
    installation,
    clock: platform.clock,
  })
  const { region } = settings
  const home = env['HOME'] ?? homedir()
  const { offer } = createCredentialsEndpoint(log)
  const assume: AssumeRole = (role, { stack }) => assumed(role, stack)
  const environmentOf: StackServer['environmentOf'] = request =>
    stackEnvironment({ env, region, home, assume, offer }, request)
  const fetchPlugin = createPluginFetch(platform.plugins, {
    home,
    os: process.platform,
    arch: process.arch,
  })
  // Told at each attempt: one that fails again and again is told with ever more.
  const here: Compact = deployment =>
    compact(platform, deployment, at => tellCompactionLag(metric, platform.clock.now(), at))
  // Only generators close deployments, and know where compaction is.
  const functionArn = env[awsVariables.compactionFunction] ?? ''
  const compactBy: Compact =
    functionArn === ''
      ? here
      : byFunction({ lambda: createLambda(settings), functionArn, here, journal: log })
  const server = (): StackServer => ({
    platform,
    requests: platform.requests,
    ports: functionPorts(platform, compactBy),
    environmentOf,
    mayServe,
    fetchPlugin,
    openState: named => managerFromState(named, passphrase, keeper),
    ...archivedRequests(platform.requests, programs),
  })
  let triggers: AwsTriggers | undefined
  const generator = (): StackServer => {
    triggers ??= openTriggers(env)
    const { outbound, documents, sealing } = triggers
    const { blobs, requests, clock } = platform
    const repositories: RepositoryDeps = {
      ...{ outbound, documents, sealing, blobs, requests, clock, scratch },
      folders: programs.folders,
      env: withoutOwn(env),
      processes: createProcesses,
    }
    const made = server()
    return { ...made, tell: triggers, open: openWithRepositories(made.open, repositories) }
  }
  return { platform, places, metric, server, generator, leave }
}

/** The ports of a generator in a function: of other functions nothing is known but their leases. */
function functionPorts(platform: Platform, compactBy: Compact): GeneratorPorts {
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
