import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deploy } from '../../local/deploy.ts'
import { readSnapshotBlob } from '../../shared/engine/deployment/state/read-snapshot-blob.ts'
import type { EngineEventPayload } from '../../shared/engine/events/event.ts'
import type { DeployInput, DeployResult, RunningDeployment } from '../../shared/engine/request.ts'
import {
  type EmbeddedPlatform,
  openEmbeddedPlatform,
} from '../../shared/platform/embedded/embedded-platform.ts'
import type { OperationsPort } from '../../shared/ports/records.ts'
import type { ProgramHost } from '../../shared/programs/program.ts'
import type { PluginHost, Provider } from '../../shared/providers/provider.ts'
import {
  type Script,
  type ScriptedServer,
  serveScript,
} from '../../shared/providers/pulumi/scripted-server.fixture.ts'
import { withUpdatePlan } from '../../cli/operations/plan-file.ts'
import type { Analyzer } from '../../shared/providers/analyzers/analyzer.ts'
import { createPackHost } from './policy-packs.ts'
import {
  createScriptedPluginHost,
  type Program,
  createScriptedProgramHost,
  project,
  stackName,
} from './scripted-hosts.ts'
import type { Tracer } from './effect-tracer.ts'
import {
  type InjectFaults,
  type KillPoint,
  ProcessKilledError,
  openTestProcess,
  type TestProcess,
} from './test-process.ts'
import type { ImportedResource } from '../../shared/records/imported-resource.ts'
import type { Command, HiddenFeature } from '../../shared/records/log.ts'
import type { Targeting } from '../../shared/records/targeting.ts'
import { type StackId, stackIdOf } from '../../shared/records/ids.ts'
import { createPassphraseManager } from '../../shared/secrets/passphrase-secrets.ts'
import { verifyIntegrity } from '../../shared/state/snapshot-integrity.ts'
import type { StoredDeployment } from '../../shared/state/stored.ts'

export type { Monitor, Program } from './scripted-hosts.ts'

/** The options of a run. */
export interface TestRunOptions {
  readonly command?: Command
  /** The resources that `import` adopts. */
  readonly imports?: readonly ImportedResource[]
  readonly dryRun?: boolean
  readonly parallel?: number
  readonly refresh?: boolean
  readonly continueOnError?: boolean
  readonly runProgram?: boolean
  readonly legacyDiff?: boolean
  readonly legacyRefreshDiff?: boolean
  readonly withoutFeatures?: readonly HiddenFeature[]
  readonly ignoreProtect?: boolean
  readonly release?: 'dataflow' | 'antichain'
  readonly config?: DeployInput['config']
  readonly targeting?: Partial<Targeting>
  /** Resumes a run that was killed. */
  readonly resume?: boolean
  /** Digest of the program. */
  readonly digest?: string
  /** Returns the digest of the program while it runs. */
  readonly readDigest?: () => string
  /** Clears pending creates, as a user can request. */
  readonly clearPendingCreates?: boolean
  /** Kills the run at one of its effects. The run then neither calls nor receives anything more. */
  readonly kill?: KillPoint | undefined
  /** Time limit of each generator and executor, in ms. */
  readonly functionLimitMs?: number
  /** Called with the running deployment. */
  readonly onStart?: (running: RunningDeployment) => void
  /** Injects faults into the ports of the run. */
  readonly disturb?: InjectFaults
  /** Injects faults into the provider of the run. */
  readonly provider?: (provider: Provider) => Provider
  /** Injects faults into the operations port of the run, instead of those of `disturb`. */
  readonly injectOperationFaults?: (operations: OperationsPort) => OperationsPort
  /** Offset of the run's wall clock, in ms. */
  readonly skewMs?: number
  /** Factor by which the run's time passes faster. */
  readonly timeFactor?: number
  /** Language hosts, instead of the scripted program. */
  readonly programs?: ProgramHost
  /** Plugin host, instead of the scripted providers. */
  readonly plugins?: PluginHost
  /** Text of the update plan that constrains the run. */
  readonly plan?: string
  /** Policy packs that analyze the run. */
  readonly packs?: readonly Analyzer[]
  /** Further fields of the request. */
  readonly request?: Partial<DeployInput>
  /** Called for each effect of the run. */
  readonly onEffect?: (name: string, args: readonly unknown[]) => void
}

const noTargeting: Targeting = {
  targets: [],
  excludes: [],
  replaces: [],
  targetDependents: false,
  excludeDependents: false,
  excludeProtected: false,
}

/** The result of a run. */
export interface TestRun {
  readonly result: DeployResult
  readonly events: readonly EngineEventPayload[]
  readonly state: StoredDeployment
  readonly stack: StackId
  /** The names of the effects of the run, in order. */
  readonly effects: readonly string[]
  readonly tracer: Tracer
}

/** An engine over its own embedded platform, with scripted programs and providers. */
export interface TestEngine {
  readonly platform: EmbeddedPlatform
  /** The folder of the store. */
  readonly home: string
  readonly provider: ScriptedServer
  /** The providers of the packages that have scripts of their own. */
  readonly packages: ReadonlyMap<string, ScriptedServer>
  readonly run: (program: Program | undefined, options?: TestRunOptions) => Promise<TestRun>
  /** Runs any work as a process that may be killed at one of its effects. */
  readonly runKillable: <T>(
    kill: KillPoint | undefined,
    work: (process: TestProcess) => Promise<T>,
  ) => Promise<T>
  /** Closes the engine without removing its home. */
  readonly closeKeepingHome: () => Promise<void>
  readonly close: () => Promise<void>
}

const testStackId = stackIdOf(project, stackName)

/** All engines of a file share one secrets manager, because its key derivation is costly. */
const secretsManager = createPassphraseManager('lifecycle')

/**
 * Opens an engine. `script` answers for all packages except those in `packageScripts`.
 * `sourceHome`: the home of a closed engine, which is copied.
 */
export async function openEngine(
  script: Script,
  sourceHome?: string,
  packageScripts: Readonly<Record<string, Script>> = {},
): Promise<TestEngine> {
  const home = mkdtempSync(join(tmpdir(), 'antichain-life-'))
  if (sourceHome !== undefined) cpSync(sourceHome, home, { recursive: true })
  const platform = await openEmbeddedPlatform({ home })
  const processes: TestProcess[] = []
  let lastProcessNumber = 0
  await platform.catalog.createStack(testStackId, platform.clock.now())
  const provider = await serveScript(script, {})
  const packages = new Map<string, ScriptedServer>()
  for (const [pkg, packageScript] of Object.entries(packageScripts))
    packages.set(pkg, await serveScript(packageScript, {}))
  const secrets = await secretsManager
  const run: TestEngine['run'] = async (program, options = {}) => {
    const events: EngineEventPayload[] = []
    const request = withUpdatePlan(createDeployRequest({ home, secrets, options }), options.plan)
    const process = await openTestProcess({
      home,
      number: (lastProcessNumber += 1),
      kill: options.kill,
      skewMs: options.skewMs ?? 0,
      timeFactor: options.timeFactor ?? 1,
      onEffect: options.onEffect,
      injectFaults: disturbOf(options),
    })
    processes.push(process)
    const instanceOf = (pkg: string): Provider => {
      const instance = (packages.get(pkg) ?? provider).createInstance()
      return process.guardProvider(options.provider?.(instance) ?? instance)
    }
    const createHosts = () => ({
      programs: options.programs ?? createScriptedProgramHost(program),
      plugins: options.plugins ?? createScriptedPluginHost(instanceOf),
      policyPacks: createPackHost(options.packs ?? []),
    })
    const deployment = deploy({
      platform: process.platform,
      ports: process.ports,
      request,
      sink: { emit: event => void events.push(event) },
      hosts: createHosts,
    }).then(running => {
      options.onStart?.(running)
      return running.done
    })
    const result = await Promise.race([deployment, process.died])
    const { violations } = process.tracer
    if (violations.length > 0) throw new Error(`not in order: ${violations.join('; ')}`)
    if (result === 'killed') throw new ProcessKilledError(process.effects)
    const record = await platform.catalog.getStack(testStackId)
    const state = await readSnapshotBlob(platform.blobs, record?.snapshot ?? '')
    const integrityError = verifyIntegrity(state)
    if (integrityError !== undefined && record?.snapshot !== '')
      throw new Error(`the published state is wrong: ${integrityError}`)
    return {
      stack: testStackId,
      result,
      events,
      state,
      effects: process.effects,
      tracer: process.tracer,
    }
  }
  const closeKeepingHome = async (): Promise<void> => {
    for (const scriptedProvider of [provider, ...packages.values()]) scriptedProvider.close()
    for (const process of processes) await process.close()
    await platform.close()
  }
  return {
    platform,
    home,
    provider,
    packages,
    run,
    async runKillable(kill, work) {
      const process = await openTestProcess({ home, number: (lastProcessNumber += 1), kill })
      processes.push(process)
      const workResult = await Promise.race([work(process), process.died])
      const { violations } = process.tracer
      if (violations.length > 0) throw new Error(`not in order: ${violations.join('; ')}`)
      if (workResult === 'killed') throw new ProcessKilledError(process.effects)
      return workResult
    },
    closeKeepingHome,
    async close() {
      await closeKeepingHome()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

/** Returns the faults of a run. The wrappers that observe effects also see the calls that fail. */
function disturbOf({ disturb, injectOperationFaults }: TestRunOptions): InjectFaults | undefined {
  if (injectOperationFaults === undefined) return disturb
  return platform => ({
    ...disturb?.(platform),
    operations: injectOperationFaults(platform.operations),
  })
}

function createDeployRequest(input: {
  home: string
  secrets: Awaited<typeof secretsManager>
  options: TestRunOptions
}): DeployInput {
  const { options, home } = input
  return {
    stack: testStackId,
    source: {
      name: project,
      projectFolder: home,
      programFolder: home,
      entryPoint: '.',
      runtime: 'test',
      runtimeOptions: {},
      plugins: [],
    },
    config: options.config ?? new Map(),
    secrets: input.secrets,
    dryRun: options.dryRun ?? false,
    options: {
      command: options.command ?? 'up',
      parallel: options.parallel ?? 8,
      refresh: options.refresh ?? false,
      continueOnError: options.continueOnError ?? false,
      execute: 'here',
      ...(options.legacyDiff === true ? { legacyDiff: true } : {}),
      ...(options.legacyRefreshDiff === true ? { legacyRefreshDiff: true } : {}),
      ...(options.withoutFeatures === undefined
        ? {}
        : { withoutFeatures: options.withoutFeatures }),
      ...(options.ignoreProtect === true ? { ignoreProtect: true } : {}),
      message: '',
      ...(options.runProgram === true ? { runProgram: true } : {}),
      release: options.release ?? 'dataflow',
      policyPacks: (options.packs ?? []).map(({ path }) => ({ path })),
      ...(options.targeting === undefined
        ? {}
        : { targeting: { ...noTargeting, ...options.targeting } }),
      ...(options.imports === undefined ? {} : { imports: options.imports }),
    },
    programDigest: options.digest ?? 'the same',
    ...(options.readDigest === undefined ? {} : { readProgramDigest: options.readDigest }),
    resume: options.resume ?? false,
    wait: false,
    ...(options.functionLimitMs === undefined ? {} : { functionLimitMs: options.functionLimitMs }),
    pendingCreates: {
      existingIds: new Map(),
      mustClearOthers: options.clearPendingCreates ?? false,
    },
    ...options.request,
  }
}
