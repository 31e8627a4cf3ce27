import { serveDeliveries } from '../../functions/step-executor/serve-deliveries.ts'
import { createRequestAuthorization } from '../../shared/runtime/credentials/authorize-request.ts'
import { type ServeOutcome, serveStack } from '../../functions/step-generator/serve-stack.ts'
import type { DeployInput } from '../../shared/engine/request.ts'
import { readSnapshotBlob } from '../../shared/engine/deployment/state/read-snapshot-blob.ts'
import { createError } from '../../shared/errors/error.ts'
import type { NudgeOptions } from '../../shared/ports/queue.ts'
import type { EpochMs, StackId } from '../../shared/records/ids.ts'
import type { DeploymentRequest, EditRequest } from '../../shared/records/stack-request.ts'
import { createPassphraseManager } from '../../shared/secrets/passphrase-secrets.ts'
import type { StoredDeployment } from '../../shared/state/stored.ts'
import type { Cloud } from './cloud.ts'
import { openEngine, type Program } from './engine.ts'
import { createScriptedPluginHost, createScriptedProgramHost, project } from './scripted-hosts.ts'
import { ProcessKilledError, type KillPoint, openTestProcess } from './test-process.ts'
import { getTestStack } from './register-thing.ts'

/** A nudge as the queue stores it. */
export interface QueuedNudge extends NudgeOptions {
  readonly stack: StackId
  readonly delayMs: number
}

/**
 * Functions over one store. Each call has a simulated process of its own, and the test delivers the
 * messages.
 */
export interface TestFunctions {
  readonly stack: StackId
  readonly cloud: Cloud
  readonly platform: Awaited<ReturnType<typeof openEngine>>['platform']
  /** Nudges that were sent and not delivered, oldest first. */
  readonly nudges: QueuedNudge[]
  /**
   * Requests a deployment. If the key starts with `bad`, no function can open the request. Returns
   * false when a different request has the key.
   */
  readonly requestDeployment: (
    key: string,
    options?: Partial<DeploymentRequest['options']>,
  ) => Promise<boolean>
  readonly requestPreview: (key: string) => Promise<boolean>
  /** Requests an edit of the state. `ageMs`: the time since the request. */
  readonly requestEdit: (key: string, edit: EditRequest['edit'], ageMs?: number) => Promise<boolean>
  /** Delivers a nudge to a generator. Throws `ProcessKilledError` when the generator is killed. */
  readonly runGenerator: (
    nudge?: Partial<QueuedNudge>,
    options?: FunctionCallOptions,
  ) => Promise<ServeOutcome>
  /** Delivers the queued messages to an executor until `stopSignal` aborts. */
  readonly execute: (stopSignal: AbortSignal, options?: FunctionCallOptions) => Promise<void>
  /** Runs generators and executors until no work is left. */
  readonly runToIdle: (options?: FunctionCallOptions) => Promise<readonly ServeOutcome[]>
  readonly readState: () => Promise<StoredDeployment>
  readonly close: () => Promise<void>
}

/** Options of one function call. */
export interface FunctionCallOptions {
  readonly kill?: KillPoint
  readonly limitMs?: number
  /** The number of operations that a generator runs itself at the same time. Default: 0. */
  readonly inlineOperationsMax?: number
  /** Aborts when the process of the function must shut down. */
  readonly handOverSignal?: AbortSignal
  /** Whether the environment of the function is permitted to work for the stack. Default: true. */
  readonly mayServe?: boolean
  /** Whether the role of the stack is refused. */
  readonly isRefused?: boolean
  /** Whether no request is approved. */
  readonly isUnapproved?: boolean
  /** Called while a request is opened. */
  readonly onOpening?: () => Promise<unknown>
  /** Called while the request of a deployment is opened again. */
  readonly onReopening?: () => Promise<unknown>
  /** Called before each read of a decision log by a handler. */
  readonly onLogRead?: () => Promise<unknown>
  /** Called before each read of stored events. */
  readonly onEventsRead?: () => Promise<unknown>
}

const secretsManager = createPassphraseManager('functions')

/** Opens functions that run `program`. `cloud` answers the calls of its package `test`. */
export async function openFunctions(cloud: Cloud, program: Program): Promise<TestFunctions> {
  const engine = await openEngine(cloud.script)
  const { platform, home } = engine
  const { id: stack } = await getTestStack(platform)
  const secrets = await secretsManager
  const nudges: QueuedNudge[] = []
  // The processes of `engine` have the numbers from 1.
  let processNumber = 1_000
  const createRequest = (options: DeployInput['options'], dryRun: boolean): DeployInput => ({
    stack,
    source: {
      name: project,
      projectFolder: home,
      programFolder: home,
      entryPoint: '.',
      runtime: 'test',
      runtimeOptions: {},
      plugins: [],
    },
    config: new Map(),
    secrets,
    programDigest: 'the same',
    dryRun,
    options,
    resume: false,
    wait: false,
    pendingCreates: { existingIds: new Map(), mustClearOthers: false },
  })
  const runFunction = async <T>(
    options: FunctionCallOptions,
    work: (server: Parameters<typeof serveStack>[0]) => Promise<T>,
  ): Promise<T> => {
    const { kill, mayServe = true, isRefused = false, onOpening, onReopening, onLogRead } = options
    const { onEventsRead } = options
    const isApproved = async () => options.isUnapproved !== true
    const process = await openTestProcess({
      home,
      number: (processNumber += 1),
      kill,
      injectFaults: platformPorts => ({
        nudges: {
          ...platformPorts.nudges,
          nudge: async (nudgedStack, delayMs, nudgeOptions) =>
            void nudges.push({ ...nudgeOptions, stack: nudgedStack, delayMs }),
        },
        events: {
          ...platformPorts.events,
          read: async (...args) => {
            await onEventsRead?.()
            return platformPorts.events.read(...args)
          },
        },
      }),
    })
    const instanceOf = () => process.guardProvider(engine.provider.createInstance())
    const server = {
      platform: process.platform,
      mayServe: () => mayServe,
      inlineOperationsMax: options.inlineOperationsMax ?? 0,
      async resolveVariables() {
        if (isRefused) throw createError('STACK_ROLE_REFUSED', 'the role refuses the stack')
        return {}
      },
      requests: platform.requests,
      notifier: platform,
      authorization: createRequestAuthorization({ ...platform, requests: { isApproved } }),
      ports: {
        ...process.ports,
        requests: platform.requests,
        decisionLog: {
          ...process.ports.decisionLog,
          read: async (...args: Parameters<typeof platform.decisionLog.read>) => {
            await onLogRead?.()
            return process.ports.decisionLog.read(...args)
          },
        },
        holder: { ...process.ports.holder, started: `life ${processNumber}` },
        isAlive: () => undefined,
      },
      open: async ({ key, options, dryRun, by }: DeploymentRequest) => {
        await onOpening?.()
        if (by === 'nobody') throw createError('PROJECT_INVALID', 'the program cannot be decrypted')
        return { ...createRequest(options, dryRun), key }
      },
      reopen: async (_deployment: unknown, { options }: Pick<DeployInput, 'options'>) => {
        await onReopening?.()
        return createRequest(options, false)
      },
      hosts: () => ({
        programs: createScriptedProgramHost(program),
        plugins: createScriptedPluginHost(instanceOf),
      }),
    }
    try {
      const workResult = await Promise.race([work(server), process.died])
      if (workResult === 'killed') throw new ProcessKilledError(process.effects)
      return workResult
    } finally {
      await process.close()
    }
  }
  const putRequest = (
    key: string,
    options: Partial<DeploymentRequest['options']>,
    dryRun: boolean,
  ) =>
    platform.requests.put({
      stack,
      key,
      at: 1 as EpochMs,
      by: key.startsWith('bad') ? 'nobody' : 'a test',
      dryRun,
      options: {
        command: 'up',
        parallel: 8,
        refresh: false,
        continueOnError: false,
        execute: 'functions',
        message: '',
        ...options,
      },
      program: { kind: 'last' },
    })
  const generate: TestFunctions['runGenerator'] = (nudge = {}, options = {}) => {
    const { limitMs, handOverSignal } = options
    const time = {
      ...(limitMs === undefined ? {} : { limitMs }),
      ...(handOverSignal === undefined ? {} : { handOverSignal }),
    }
    return runFunction(options, server =>
      serveStack(server, { stack, pool: 'short', ...nudge }, time),
    )
  }
  const execute: TestFunctions['execute'] = async (stopSignal, options = {}) => {
    while (!stopSignal.aborted) {
      const deliveries = await platform.chains.receive(10, 200, { signal: stopSignal })
      if (deliveries.length === 0) continue
      const deliveryOptions = { pool: 'short', limitMs: options.limitMs ?? 60_000 } as const
      await runFunction(options, server => serveDeliveries(server, deliveries, deliveryOptions))
    }
  }
  const runToIdle: TestFunctions['runToIdle'] = async (options = {}) => {
    const executorStop = new AbortController()
    const executorRun = execute(executorStop.signal, options)
    const outcomes: ServeOutcome[] = []
    try {
      for (let nudge = nudges.shift(); nudge !== undefined; nudge = nudges.shift()) {
        outcomes.push(
          await Promise.race([generate(nudge, options), executorRun.then(() => 'idle' as const)]),
        )
        if (outcomes.length > 60)
          throw new Error(`the functions do not become idle: ${outcomes.join()}`)
        const { current } = await getTestStack(platform)
        const isWaiting = (await platform.requests.listWaiting(stack, 1)).length > 0
        // The remaining delayed nudges only check a deployment that has ended.
        if (current === '' && !isWaiting) nudges.splice(0)
      }
      return outcomes
    } finally {
      executorStop.abort()
      await executorRun
    }
  }
  return {
    stack,
    cloud,
    platform,
    nudges,
    requestDeployment: (key, options = {}) => putRequest(key, options, false),
    requestPreview: key => putRequest(key, {}, true),
    requestEdit: (key, edit, ageMs = 0) => {
      const at = (platform.clock.now() - ageMs) as EpochMs
      return platform.requests.put({ stack, key, at, by: 'a test', edit })
    },
    runGenerator: generate,
    execute,
    runToIdle,
    readState: async () =>
      readSnapshotBlob(platform.blobs, (await getTestStack(platform)).snapshot),
    close: () => engine.close(),
  }
}
