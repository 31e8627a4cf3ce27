/**
 * The sandbox of a local-cloud test: an installation over the shared emulators, a packed program,
 * and the cloud of the provider. All functions can access the folder of the cloud.
 */
import { randomBytes } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { expect } from 'vitest'
import { type LocalCloud, startCloud } from '../../infra/local-cloud/cloud.ts'
import { servicesOfGroup } from '../../infra/local-cloud/services.ts'
import { groupNameOf } from '../../shared/config/stack-groups.ts'
import { type ControlClient, openControlClient } from '../../infra/local-cloud/control-client.ts'
import type { CompletedCall } from '../../infra/local-cloud/fleet.ts'
import type { FunctionName, FunctionRow } from '../../infra/function-row.ts'
import type { QueueName } from '../../shared/config/aws-resource-names.ts'
import { emulatorCredentials } from '../../infra/emulators/emulators.ts'
import type { Denial } from '../../infra/local-cloud/permissions/permission-proxy.ts'
import { findSandboxSupport } from '../../infra/local-cloud/sandbox.ts'
import { createCallReporter } from '../../infra/local-cloud/call-reporter.ts'
import { readInstallationSettings } from '../../infra/settings.ts'
import type { AwsSettings } from '../../shared/platform/aws/clients.ts'
import type { HistoryRecord } from '../../shared/ports/catalog.ts'
import {
  stackIdOf,
  stackPartsOf,
  type StackId,
  type BlobHash,
  type DeploymentId,
} from '../../shared/records/ids.ts'
import type { Command } from '../../shared/records/log.ts'
import { operationsPerExecutor } from '../e2e/deployment-processes.ts'
import { type RequestedChange, type CloudObject, readObjects } from '../e2e/sandbox.ts'
import { verifyExport } from '../verifier/verify.ts'
import { createPermissionLedger } from './permission-ledger.ts'
import { passphrase, type StackFileOptions, createStackFile } from './stack-file.ts'

const testFolder = resolve(import.meta.dirname, '..')
const nodeFolder = resolve(testFolder, '../node_modules/node/bin')
const sdkModules = join(testFolder, 'fixtures/sdk/node_modules')
const pluginFolder = join(testFolder, 'golden/provider')

/** The options of a sandbox. */
export interface CloudSandboxOptions extends Pick<StackFileOptions, 'config'> {
  readonly aws: AwsSettings
  /**
   * Alternative endpoints of the services for functions and event sources; if absent, those of
   * `aws`.
   */
  readonly functionAws?: AwsSettings
  readonly bundleOf: (row: FunctionRow) => string | undefined
  /** Settings of the installation. They override those of the sandbox. */
  readonly settings?: Readonly<Record<string, string>>
  /** Time limits of calls, by function; if absent, those of the template. */
  readonly limitMs?: Partial<Readonly<Record<FunctionName, number>>>
  /** Time after which an environment without calls ends. */
  readonly idleMs?: number
  /** Interval between the calls of compaction. Default: an hour. */
  readonly compactionIntervalMs?: number
  /** Alternative visibility timeouts by queue, in seconds. */
  readonly visibilitySeconds?: Partial<Readonly<Record<QueueName, number>>>
  /**
   * `above`: the SDK is in a folder above the program, so that the packed program is small. The
   * functions are then plain processes, because Lambda's sandbox has no such folder.
   */
  readonly sdk?: 'above'
  /** The files of a program that replaces the fixture, by path. Their project has its name. */
  readonly files?: Readonly<Record<string, string>>
  /** Selects the installation's key for the secrets of the stack. Default: a passphrase. */
  readonly secretsKey?: 'of the installation'
  /** Further environment variables of the functions. */
  readonly variables?: Readonly<Record<string, string>>
}

/** The sandbox of one test. */
export interface CloudSandbox {
  readonly cloud: LocalCloud
  readonly control: ControlClient
  readonly stack: StackId
  /** The program's folder. */
  readonly program: string
  /** The folder of the provider's cloud. */
  readonly cloudFolder: string
  /** The URL of the installation's key for secrets. */
  readonly keyUrl: string
  /** The text of the stack file, which selects the secrets manager. */
  readonly stackFile: string
  /** Packs the program with these environment variables, and uploads it. */
  readonly upload: (variables: Readonly<Record<string, string>>) => Promise<BlobHash>
  /** Requests a deployment and waits for its end. */
  readonly deploy: (command: Command, program: BlobHash, limitMs?: number) => Promise<HistoryRecord>
  /** Returns the published snapshot after checking that it is valid. */
  readonly exportState: () => Promise<string>
  readonly listObjects: () => readonly CloudObject[]
  readonly listChanges: () => readonly RequestedChange[]
  /** Permissions that functions lack although the template gives them, as `api sqs:SendMessage`. */
  readonly revokedPermissions: Set<string>
  /** Returns the number of requests that lacked a revoked permission. */
  readonly countRevoked: () => number
  /** Returns the requests that roles did not allow, and forgets them. */
  readonly takeDenials: () => readonly Denial[]
  /** The calls of functions that have ended. */
  readonly calls: readonly (CompletedCall & { readonly name: FunctionName })[]
  /** Returns the diagnostics of a deployment. */
  readonly readDiagnostics: (deployment: DeploymentId) => Promise<string>
  /** Returns the output of all environments. */
  readonly readLog: () => string
  /** Returns the pids of all processes that use the folders of this sandbox. */
  readonly listProcesses: () => readonly number[]
  readonly remove: () => Promise<void>
}

const sandboxSupport = findSandboxSupport()
if (sandboxSupport.kind === 'unsupported')
  console.warn(`the functions run without Lambda's sandbox: ${sandboxSupport.reason}`)

/**
 * Returns the events of an ended deployment. The generator stores the last ones after the end, so
 * this function waits for the very last one, for ten seconds at most.
 */
async function readAllEvents(
  control: Pick<ControlClient, 'readEvents'>,
  deployment: DeploymentId,
): Promise<readonly string[]> {
  const deadlineMs = Date.now() + 10_000
  for (;;) {
    const lines = await control.readEvents(deployment)
    if (Date.now() > deadlineMs || lines.some(line => line.includes('"cancelEvent"'))) return lines
    await new Promise(done => setTimeout(done, 100))
  }
}

/** Creates a sandbox with a program of test/fixtures/programs. */
export async function createCloudSandbox(
  fixture: string,
  options: CloudSandboxOptions,
): Promise<CloudSandbox> {
  // Functions clear their /tmp, so the folder of the provider's cloud is elsewhere.
  const root = mkdtempSync('/var/tmp/antichain-cloud-')
  const goldCloud = join(root, 'cloud')
  mkdirSync(join(goldCloud, 'objects'), { recursive: true })
  const program = join(root, 'program')
  if (options.sdk === 'above') symlinkSync(sdkModules, join(root, 'node_modules'))
  const stack = stackIdOf(fixture, 'dev')
  const calls: (CompletedCall & { readonly name: FunctionName })[] = []
  const denials: Denial[] = []
  const revokedPermissions = new Set<string>()
  let revokedCount = 0
  const lines: string[] = []
  const logLine = (line: string): void => void lines.push(`${new Date().toISOString()} ${line}`)
  const callReporter = createCallReporter(logLine, true)
  const functionAws = options.functionAws ?? options.aws
  const settings = readInstallationSettings({
    'antichain:installation': `t${randomBytes(4).toString('hex')}`,
    'antichain:region': options.aws.region,
    // Two cores cannot start more environments at the same time.
    'antichain:executorsMax': '3',
    'antichain:generatorsMax': '2',
    // In most tests, executor functions must run all operations. The other tests set a number.
    'antichain:inlineMax': '0',
    ...options.settings,
  })
  if ('problems' in settings) throw new Error(settings.problems.join('\n'))
  const ledger = createPermissionLedger(settings)
  const isRevoked = (role: string, action: string): boolean =>
    revokedPermissions.has(`${ledger.processOf(role)} ${action}`)
  const cloud = await startCloud({
    settings,
    aws: functionAws,
    bundleOf: options.bundleOf,
    folder: join(root, 'functions'),
    variables: { ...functionVariablesOf(goldCloud), ...options.variables },
    ...(sandboxSupport.kind === 'unsupported' || options.sdk === 'above'
      ? {}
      : { sandbox: { writableFolders: [goldCloud] } }),
    compactionIntervalMs: options.compactionIntervalMs ?? 3_600_000,
    ...(options.limitMs === undefined ? {} : { limitMs: options.limitMs }),
    ...(options.visibilitySeconds === undefined
      ? {}
      : { visibilitySeconds: options.visibilitySeconds }),
    ...(options.idleMs === undefined ? {} : { idleMs: options.idleMs }),
    isRevoked,
    reporter: {
      onCall: (name, call) => {
        calls.push({ name, ...call })
        callReporter.onCall(name, call)
      },
      onLine: callReporter.onLine,
      onDenial: denial => {
        if (isRevoked(denial.role, denial.permission.action)) revokedCount += 1
        else denials.push(denial)
        callReporter.onDenial(denial)
      },
      onUse: ledger.add,
      onCloudFailure: callReporter.onCloudFailure,
    },
  })
  const groupServices = servicesOfGroup(
    cloud.services,
    groupNameOf(settings.groups, stackPartsOf(stack).project),
  )
  const { secretsKey } = groupServices
  const keyUrl = `awskms:///${secretsKey}?region=${options.aws.region}`
  const stackFile = await createSandboxProgram(program, fixture, { ...options, keyUrl })
  const control = openControlClient(options.aws, groupServices)
  await control.platform.catalog.createStack(stack, control.platform.clock.now())
  const readLog = (): string => lines.join('\n')
  return {
    cloud,
    control,
    stack,
    program,
    cloudFolder: goldCloud,
    keyUrl,
    stackFile,
    revokedPermissions,
    countRevoked: () => revokedCount,
    takeDenials: () => denials.splice(0),
    calls,
    readLog,
    upload: async variables => {
      writeFileSync(join(program, 'variables.json'), JSON.stringify(variables))
      return control.upload(program)
    },
    deploy: async (command, archive, limitMs = 100_000) => {
      const key = await control.requestDeployment({
        stack,
        command,
        program: archive,
        parallel: operationsPerExecutor,
      })
      const end = await control.awaitEnd(stack, key, limitMs).catch((thrown: unknown) => {
        throw new Error(readLog(), { cause: thrown })
      })
      if (!('deployment' in end) || !('result' in end)) throw new Error(JSON.stringify(end))
      return end
    },
    readDiagnostics: async deployment => {
      const lines = await readAllEvents(control, deployment)
      const diagnostics = lines.filter(line => line.includes('diagnosticEvent'))
      return diagnostics.map(line => line.slice(0, 800)).join('\n')
    },
    exportState: async () => {
      const text = await control.readSnapshot(stack)
      expect(verifyExport(text, { sealed: true })).toEqual([])
      return text
    },
    listObjects: () => readObjects(goldCloud),
    listChanges: () =>
      readLines(join(goldCloud, 'asked.jsonl')).map(line => JSON.parse(line) as never),
    listProcesses: () => findProcesses(root),
    remove: async () => {
      control.close()
      await cloud.end()
      await rm(root, { recursive: true, force: true, maxRetries: 3 })
      ledger.save()
      expect(denials, 'requests that the roles of the template do not allow').toEqual([])
    },
  }
}

/** Writes the program and its stack file. Returns the text of the stack file. */
async function createSandboxProgram(
  program: string,
  fixture: string,
  options: CloudSandboxOptions & { readonly keyUrl: string },
): Promise<string> {
  mkdirSync(program)
  const { files, aws, keyUrl, config = {} } = options
  const key = options.secretsKey === undefined ? {} : { keyUrl }
  const text = await createStackFile(stackIdOf(fixture, 'dev'), { aws, config, ...key })
  writeFileSync(join(program, 'Pulumi.dev.yaml'), text)
  if (files === undefined) writeFixture(program, fixture, options)
  else
    for (const [path, content] of Object.entries(files)) writeFileSync(join(program, path), content)
  return text
}

/**
 * Writes a fixture, with a main file that sets the variables and then loads the fixture. Unless
 * `sdk` is `above`, the SDK is copied beside the main file.
 */
function writeFixture(
  program: string,
  fixture: string,
  options: Pick<CloudSandboxOptions, 'sdk'>,
): void {
  cpSync(join(testFolder, 'fixtures/programs', fixture), program, { recursive: true })
  renameSync(join(program, 'index.js'), join(program, 'program.js'))
  writeFileSync(
    join(program, 'index.js'),
    "Object.assign(process.env, require('./variables.json'))\nmodule.exports = require('./program')\n",
  )
  cpSync(join(testFolder, 'golden/provider/sdk.js'), join(program, 'gold.js'))
  const manifest = { name: 'e2e-program', private: true, dependencies: { '@pulumi/pulumi': '*' } }
  writeFileSync(join(program, 'package.json'), JSON.stringify(manifest))
  // The copy contains no links, because the target of a link may be a file that is left out.
  if (options.sdk !== 'above')
    cpSync(sdkModules, join(program, 'node_modules'), {
      recursive: true,
      dereference: true,
      filter: path => !unusedFiles.some(pattern => pattern.test(path.slice(sdkModules.length))),
    })
}

/**
 * Patterns of SDK files that no program of these tests loads. Each test packs, uploads and unpacks
 * the others several times. The packages of the last patterns serve exporters of traces and
 * policy packs.
 */
const unusedFiles: readonly RegExp[] = [
  /\.d\.[cm]?ts$/,
  /\.map$/,
  /\.md$/,
  /\/build\/(esm|esnext)$/,
  /^\/@types$/,
  /^\/node-gyp$/,
  /\/\.bin$/,
  /\/typescript\/lib\/(?!typescript\.js)/,
  /\/vendor\/typescript@/,
  /^\/@grpc\/grpc-js\/src$/,
  /^\/(@grpc\/proto-loader|@protobufjs|@pulumi\/policy|cliui|protobufjs|undici|yargs)$/,
  /^\/@opentelemetry\/(exporter-trace-otlp-grpc|otlp-.*|sdk-logs|sdk-metrics)$/,
]

/**
 * Returns the environment variables of the functions. As in an installation, they inherit no
 * variable of this process. `PATH` contains the tools of the tests.
 */
function functionVariablesOf(goldCloud: string): Readonly<Record<string, string>> {
  return {
    ...emulatorCredentials,
    PATH: [pluginFolder, nodeFolder, '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter),
    PULUMI_CONFIG_PASSPHRASE: passphrase,
    GOLD_CLOUD: goldCloud,
    GOLD_NODE_PATH: sdkModules,
    GOLD_NODE: join(nodeFolder, 'node'),
    GOLD_ASKED: '1',
  }
}

function readLines(file: string): readonly string[] {
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter(line => line !== '')
}

/**
 * Returns the pids of programs, plugins and environments. Their variables name the folder of their
 * cloud.
 */
function findProcesses(root: string): readonly number[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(Number)
    .filter(pid => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`GOLD_CLOUD=${root}/`)
      } catch {
        return false
      }
    })
}
