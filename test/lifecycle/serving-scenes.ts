import { reconcileStacks } from '../../functions/compaction/reconcile-stacks.ts'
import { serveStack } from '../../functions/step-generator/serve-stack.ts'
import { type StackServer } from '../../shared/runtime/deployment/stack-server-deps.ts'
import type { DeployRequest } from '../../shared/engine/request.ts'
import { error } from '../../shared/errors/error.ts'
import type { EpochMs } from '../../shared/records/ids.ts'
import type { DeploymentRequest } from '../../shared/records/request.ts'
import type { TestRunOptions } from './engine.ts'
import type { TestProcess } from './test-process.ts'
import type { TestPlace } from './resume.ts'
import { awaitKill, type Scene, runUntilDone, upScenario } from './scene.ts'
import { getTestStack } from './register-thing.ts'

/**
 * Runs a function that is nudged for the stack. Another function always starts the deployment
 * first.
 */
async function serveNudge({ platform, ports }: TestProcess): Promise<unknown> {
  const { id: stack } = await getTestStack(platform)
  const start = () => Promise.reject(error('STACK_BUSY', 'another function was faster'))
  const openRequest = (request: Pick<DeploymentRequest, 'options'>): Promise<DeployRequest> =>
    Promise.resolve({ stack, options: request.options } as DeployRequest)
  const server: StackServer = {
    platform,
    requests: platform.requests,
    ports: { ...ports, catalog: { ...ports.catalog, start } },
    open: openRequest,
    reopen: (_of, pin) => openRequest(pin),
  }
  return serveStack(server, { stack, pool: 'short' }, {})
}

async function putRequest({ engine }: TestPlace): Promise<void> {
  const { id: stack } = await getTestStack(engine.platform)
  await engine.platform.requests.put({
    stack,
    key: 'k',
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
  async act(place, kill) {
    await putRequest(place)
    return place.engine.during(kill, serveNudge)
  },
  async recover(place) {
    await place.engine.during(undefined, serveNudge)
    return runUntilDone(place, upScenario)
  },
}

const lookedThrough: Scene = {
  name: 'a reconciliation of all stacks',
  async act(place, kill) {
    await putRequest(place)
    return place.engine.during(kill, ({ platform }) => reconcileStacks(platform))
  },
  async recover(place) {
    await place.engine.during(undefined, ({ platform }) => reconcileStacks(platform))
    return runUntilDone(place, upScenario)
  },
}

const foundHeld: Scene = {
  name: 'a function that is nudged for a deployment whose holder may live',
  async act(place, kill) {
    const { program } = upScenario
    const dead = { effect: 1, call: 'decisionLog.append registration', when: 'before' } as const
    await awaitKill(place.engine.run(program, { kill: dead }))
    return place.engine.during(kill, serveNudge)
  },
  async recover(place) {
    await place.engine.during(undefined, serveNudge)
    return runUntilDone(place, upScenario)
  },
}

/** The request is withdrawn at the pin, after the check that found it open. */
const withdrawn: Scene = {
  name: 'a deployment whose request is withdrawn as it is pinned',
  async act(place, kill) {
    await putRequest(place)
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
    return place.engine.run(program, { ...options, kill, request: { key: 'k' }, disturb })
  },
  recover: place => runUntilDone(place, upScenario),
}

/** Scenes of functions that are nudged for a stack. */
export const servingScenes = {
  served,
  lookedThrough,
  foundHeld,
  withdrawn,
} as const satisfies Record<string, Scene>
