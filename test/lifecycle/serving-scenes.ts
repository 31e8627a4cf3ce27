import { reconcileStacks } from '../../functions/compaction/reconcile-stacks.ts'
import type { RunLimit } from '../../functions/step-generator/serve-run.ts'
import { serveStack } from '../../functions/step-generator/serve-stack.ts'
import { type StackServerDeps } from '../../shared/runtime/deployment/stack-server-deps.ts'
import { storeApproval } from '../../functions/step-generator/store-approval.ts'
import type { DeployInput, DeployResult } from '../../shared/engine/request.ts'
import { createError } from '../../shared/errors/error.ts'
import type { EpochMs } from '../../shared/records/ids.ts'
import type { DeploymentRequest } from '../../shared/records/stack-request.ts'
import type { TestRunOptions } from './engine.ts'
import type { TestProcess } from './test-process.ts'
import type { TestSetup } from './resume.ts'
import { awaitKill, type Scene, runUntilDone, upScenario } from './scene.ts'
import { getTestStack } from './register-thing.ts'

/**
 * Runs a function that is nudged for the stack. The start of a deployment always fails, because
 * another function was faster.
 */
async function serveNudge(
  { platform, ports }: TestProcess,
  { time = {}, open }: { readonly time?: RunLimit; readonly open?: StackServerDeps['open'] } = {},
): Promise<unknown> {
  const { id: stack } = await getTestStack(platform)
  const start = () => Promise.reject(createError('STACK_BUSY', 'another function was faster'))
  const openRequest = (request: Pick<DeploymentRequest, 'options'>): Promise<DeployInput> =>
    Promise.resolve({ stack, options: request.options } as DeployInput)
  const server: StackServerDeps = {
    platform,
    requests: platform.requests,
    ports: { ...ports, catalog: { ...ports.catalog, start } },
    open: open ?? openRequest,
    reopen: (_deployment, pin) => openRequest(pin),
  }
  return serveStack(server, { stack, pool: 'short' }, time)
}

/** Options of a nudge: the request is refused as it is opened, while the process must shut down. */
const refusalAtShutdown = {
  time: { handOverSignal: AbortSignal.abort() },
  open: () => Promise.reject(createError('PROJECT_INVALID', 'the program cannot be opened')),
}

async function putRequest({ engine }: TestSetup, key = 'k'): Promise<void> {
  const { id: stack } = await getTestStack(engine.platform)
  await engine.platform.requests.put({
    stack,
    key,
    at: 1 as EpochMs,
    by: 'a test',
    dryRun: false,
    options: {
      command: 'up',
      parallel: 1,
      refresh: false,
      continueOnError: false,
      execute: 'functions',
      message: '',
    },
    program: { kind: 'last' },
  })
}

const served: Scene = {
  name: 'a function that is nudged for a stack with a request',
  async run(setup, kill) {
    await putRequest(setup)
    return setup.engine.runKillable(kill, process => serveNudge(process))
  },
  async recover(setup) {
    await setup.engine.runKillable(undefined, process => serveNudge(process))
    return runUntilDone(setup, upScenario)
  },
}

const reconciled: Scene = {
  name: 'a reconciliation of all stacks',
  async run(setup, kill) {
    await putRequest(setup)
    return setup.engine.runKillable(kill, ({ platform }) => reconcileStacks(platform))
  },
  async recover(setup) {
    await setup.engine.runKillable(undefined, ({ platform }) => reconcileStacks(platform))
    return runUntilDone(setup, upScenario)
  },
}

const foundHeld: Scene = {
  name: 'a function that is nudged for a deployment whose holder may live',
  async run(setup, kill) {
    const { program } = upScenario
    const killBeforeRegistration = {
      effect: 1,
      call: 'decisionLog.append registration',
      when: 'before',
    } as const
    await awaitKill(setup.engine.run(program, { kill: killBeforeRegistration }))
    return setup.engine.runKillable(kill, process => serveNudge(process))
  },
  async recover(setup) {
    await setup.engine.runKillable(undefined, process => serveNudge(process))
    return runUntilDone(setup, upScenario)
  },
}

const passedOn: Scene = {
  name: 'a function that must shut down before the second request of its stack',
  async run(setup, kill) {
    for (const key of ['refused', 'waiting']) await putRequest(setup, key)
    return setup.engine.runKillable(kill, process => serveNudge(process, refusalAtShutdown))
  },
  async recover(setup) {
    await setup.engine.runKillable(undefined, process => serveNudge(process))
    return runUntilDone(setup, upScenario)
  },
}

/** The request is withdrawn while the deployment is pinned, after a check had found it waiting. */
const withdrawn: Scene = {
  name: 'a deployment whose request is withdrawn as it is pinned',
  async run(setup, kill) {
    await putRequest(setup)
    const { program, options } = upScenario
    const disturb: TestRunOptions['disturb'] = ({ requests }) => ({
      requests: {
        ...requests,
        async end(stack, key, end) {
          await requests.end(stack, key, {
            kind: 'refused',
            code: 'DEPLOYMENT_CANCELLED',
            message: '',
          })
          return requests.end(stack, key, end)
        },
      },
    })
    return setup.engine.run(program, { ...options, kill, request: { key: 'k' }, disturb })
  },
  recover: setup => runUntilDone(setup, upScenario),
}

/** The plan of a preview is stored for an approval, and again after a crash. */
const held: Scene = {
  name: 'a preview whose plan waits for an approval',
  run: (setup, kill) => setup.engine.runKillable(kill, storePreviewedPlan),
  async recover(setup) {
    await setup.engine.runKillable(undefined, storePreviewedPlan)
    return runUntilDone(setup, upScenario)
  },
}

async function storePreviewedPlan({ platform, ports }: TestProcess): Promise<unknown> {
  const { id: stack } = await getTestStack(platform)
  const options = { command: 'up', message: '' }
  const queuedRequest = { stack, key: 'k', by: 'a test', options } as DeploymentRequest
  const input = { source: {} } as DeployInput
  const result = { updatePlan: '{}', changes: {} } as DeployResult
  const previewedRequest = { queuedRequest, input, result, approvalPeriodMs: 60_000 }
  return storeApproval({ platform }, ports.documents, previewedRequest)
}

/** Scenes of functions that are nudged for a stack. */
export const servingScenes = {
  served,
  reconciled,
  foundHeld,
  passedOn,
  withdrawn,
  held,
} as const satisfies Record<string, Scene>
