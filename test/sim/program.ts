import {
  RegisterResourceHookRequest,
  RegisterResourceOutputsRequest,
  RegisterResourceRequest,
  RegisterResourceRequest_ResourceHooksBinding,
  type RegisterResourceResponse,
  ResourceCallRequest,
  ResourceInvokeRequest,
  Result,
} from '../../proto/gen/pulumi/resource.ts'
import type { MonitorServer } from '../../shared/engine/monitor/monitor-server.ts'
import type { Callbacks } from '../../shared/engine/monitor/callbacks.ts'
import { createRegisteredHooks } from '../../shared/engine/monitor/registered-hooks.ts'
import {
  createRegistrationWindow,
  withWindow,
} from '../../shared/engine/monitor/registration-window.ts'
import { createRequestTransformer } from '../../shared/engine/monitor/transform-requests.ts'
import {
  createMonitorHandlers,
  type MonitorDeps,
} from '../../shared/engine/monitor/monitor-handlers.ts'
import { DeploymentAborted } from '../../shared/engine/generator/finish-stage.ts'
import type { ProgramEnd, ProgramHost } from '../../shared/programs/program.ts'
import { type SimHookType, simHookTypes } from './hooks.ts'
import type { SimNode } from './node.ts'
import type { PlannedThing, ScenarioStep } from './scenario.ts'
import type { Scheduler } from './scheduler.ts'
import { secretMark } from './secrets.ts'

type Handlers = ReturnType<typeof createMonitorHandlers>

/** The monitor of a process, without a network. A program uses `call` for its requests. */
export interface SimMonitor {
  readonly server: MonitorServer
  readonly call: <T>(callHandler: (handlers: Handlers) => Promise<T>) => Promise<T>
  /** Must be called when the program has ended, because its callbacks are then gone. */
  readonly onProgramGone: () => void
}

/**
 * Number of registrations that a monitor decides at the same time. Programs have more
 * registrations.
 */
const simWindowSize = 2

const unusedCallAddress = { address: 'simulated', wasUsed: () => false, close: () => undefined }

/** Creates a monitor with the real handlers. A request and a response take 1 virtual ms each. */
export function createMonitor(
  scheduler: Scheduler,
  node: SimNode,
  programCallbacks: Callbacks,
): SimMonitor {
  const window = createRegistrationWindow()
  const callbacks = withWindow(programCallbacks, window)
  const monitorDeps = Promise.withResolvers<MonitorDeps>()
  const signalled = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const aborted = Promise.withResolvers<never>()
  aborted.promise.catch(() => undefined)
  const hooks = createRegisteredHooks(callbacks)
  const handlers = createMonitorHandlers(monitorDeps.promise, {
    onSignal: signalled.resolve,
    whenReleased: released.promise,
    requestTransformer: createRequestTransformer(callbacks),
    hooks,
    window,
  })
  return {
    server: {
      address: 'simulated',
      hooks,
      // Methods make no calls to the monitor here.
      callAddresses: { open: () => Promise.resolve(unusedCallAddress) },
      provideDeps(deps) {
        window.resize(simWindowSize)
        monitorDeps.resolve(deps)
      },
      abort() {
        window.close()
        aborted.reject(new DeploymentAborted())
      },
      whenSignalled: signalled.promise,
      release: released.resolve,
      close() {
        callbacks.close()
        aborted.reject(new DeploymentAborted())
      },
    },
    onProgramGone: callbacks.close,
    call: callHandler =>
      new Promise((resolve, reject) => {
        const answerLater = (settle: () => void): void => void scheduler.after(1, settle, node)
        const sendRequest = (): void =>
          void Promise.race([callHandler(handlers), aborted.promise]).then(
            value => answerLater(() => resolve(value)),
            thrown => answerLater(() => reject(thrown)),
          )
        scheduler.after(1, sendRequest, node)
      }),
  }
}

/** The parts of a step that define its program. */
type Program = Pick<ScenarioStep, 'program' | 'hooks'>

/** Returns a host that runs a program over the monitor of its process. */
export function programHostOf(monitor: SimMonitor, step: Program): ProgramHost {
  return {
    run: () => {
      const stopped = Promise.withResolvers<ProgramEnd>()
      const ended = Promise.race([runProgram(monitor, step), stopped.promise])
      const stop = async (): Promise<void> =>
        stopped.resolve({ error: undefined, hasReportedError: true })
      ended.then(monitor.onProgramGone, monitor.onProgramGone)
      return Promise.resolve({ programEnd: ended, stop })
    },
    listPackages: () => Promise.resolve([]),
  }
}

const thingType = 'test:index:Thing'
/** The field that marks a map as a secret in the protocol of Pulumi. */
const secretSignature = { '4dabf18193072939515e22adb298388d': '1b47061264138c4ac30d75fd1eb44270' }

/** Runs a program. It registers each resource as soon as the dependencies are registered. */
async function runProgram(monitor: SimMonitor, { program, hooks }: Program): Promise<ProgramEnd> {
  const registrations = new Map<string, Promise<RegisterResourceResponse>>()
  const { call } = monitor
  const register = async (
    request: Partial<RegisterResourceRequest>,
  ): Promise<RegisterResourceResponse> => {
    const reply = await call(handlers =>
      handlers.registerResource(
        RegisterResourceRequest.encode(
          RegisterResourceRequest.create({
            acceptSecrets: true,
            aliasSpecs: true,
            supportsResultReporting: true,
            ...request,
          }),
        ).finish(),
      ),
    )
    if (reply.result === Result.FAIL) throw new Error(`${request.name} failed`)
    return reply
  }
  const awaitRegistered = async (name: string): Promise<RegisterResourceResponse> => {
    const response = await registrations.get(name)
    if (response === undefined) throw new TypeError(`the program has no ${name}`)
    return response
  }
  const callFunction = async ({ name }: PlannedThing): Promise<unknown> => {
    const callRequest = { tok: 'test:index:ask', args: { name } }
    // Things with an even number call a method instead.
    const isMethod = /[02468]$/.test(name)
    const reply = await (isMethod
      ? call(handlers => handlers.call(ResourceCallRequest.create(callRequest)))
      : call(handlers => handlers.invoke(ResourceInvokeRequest.create(callRequest))))
    return reply.return?.['answer']
  }
  try {
    if (hooks.size > 0) await registerHooks(monitor)
    const root = await register({ type: 'pulumi:pulumi:Stack', name: 'sim-dev', object: {} })
    const registerPlanned = async (thing: PlannedThing): Promise<RegisterResourceResponse> => {
      const { name, kind, parent, provider, needs, fixed, dependenciesWithoutInput } = thing
      const parentReply = parent === '' ? root : await awaitRegistered(parent)
      const object: Record<string, unknown> = { value: thing.value, fixed: thing.fixedValue }
      const dependencies: string[] = []
      const propertyDependencies = new Map<string, { urns: string[] }>()
      for (const target of [...needs, ...fixed, ...dependenciesWithoutInput]) {
        const { urn, id } = await awaitRegistered(target)
        dependencies.push(urn)
        if (dependenciesWithoutInput.includes(target)) continue
        const key = `${fixed.includes(target) ? 'fixed' : 'needs'}-${target}`
        object[key] = id
        propertyDependencies.set(key, { urns: [urn] })
      }
      if (thing.isSecret) object['secret'] = { ...secretSignature, value: `${secretMark}${name}` }
      if (thing.callsFunction) object['answer'] = await callFunction(thing)
      const commonFields = { name, parent: parentReply.urn }
      if (kind === 'component') {
        const componentReply = await register({
          ...commonFields,
          type: 'test:index:Group',
          object: {},
        })
        const outputs = { name, size: thing.value }
        const request = RegisterResourceOutputsRequest.create({ urn: componentReply.urn, outputs })
        await call(handlers => handlers.registerResourceOutputs(request))
        return componentReply
      }
      if (kind === 'provider')
        return register({
          ...commonFields,
          type: 'pulumi:providers:test',
          custom: true,
          object: {},
        })
      const providerReply = provider === '' ? undefined : await awaitRegistered(provider)
      const registration = {
        ...commonFields,
        type: thingType,
        custom: true,
        object,
        dependencies,
        propertyDependencies,
      }
      return register({
        ...registration,
        hooks: bindingOf(hooks.get(name) ?? []),
        ...(providerReply === undefined
          ? {}
          : { provider: `${providerReply.urn}::${providerReply.id}` }),
        ...(thing.deleteFirst
          ? { deleteBeforeReplace: true, deleteBeforeReplaceDefined: true }
          : {}),
      })
    }
    for (const thing of program) {
      const registration = registerPlanned(thing)
      registration.catch(() => undefined)
      registrations.set(thing.name, registration)
    }
    const ends = await Promise.allSettled(registrations.values())
    const hasFailed = ends.some(
      (end, index) => end.status === 'rejected' && program[index]?.toleratesFailure !== true,
    )
    if (hasFailed) return { error: undefined, hasReportedError: true }
    await call(handlers => handlers.signalAndWaitForShutdown())
    return { error: undefined, hasReportedError: false }
  } catch {
    return { error: undefined, hasReportedError: true }
  }
}

/**
 * Registers one hook per hook type, with its callback. Any resource may name the hook, including
 * resources of earlier programs.
 */
async function registerHooks({ call }: SimMonitor): Promise<void> {
  for (const hookType of simHookTypes) {
    const callback = { target: 'simulated', token: hookType, acceptsByteString: true }
    const request = RegisterResourceHookRequest.create({ name: `hook ${hookType}`, callback })
    await call(handlers => handlers.registerResourceHook(request))
  }
}

function bindingOf(types: readonly SimHookType[]): RegisterResourceRequest_ResourceHooksBinding {
  const hookNamesOf = (hookType: SimHookType): string[] =>
    types.includes(hookType) ? [`hook ${hookType}`] : []
  return RegisterResourceRequest_ResourceHooksBinding.create({
    beforeCreate: hookNamesOf('BeforeCreate'),
    afterCreate: hookNamesOf('AfterCreate'),
    beforeUpdate: hookNamesOf('BeforeUpdate'),
    afterUpdate: hookNamesOf('AfterUpdate'),
    beforeDelete: hookNamesOf('BeforeDelete'),
    afterDelete: hookNamesOf('AfterDelete'),
  })
}
