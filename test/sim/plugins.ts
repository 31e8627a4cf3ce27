import type { DiffResult, PluginHost, Provider } from '../../shared/providers/provider.ts'
import { ProviderError } from '../../shared/providers/provider-error.ts'
import type { ProcessesPort } from '../../shared/ports/system.ts'
import { areEqualValues } from '../../shared/values/equal.ts'
import type { PropertyMap } from '../../shared/values/value.ts'
import { containsUnknown } from '../../shared/values/special-values.ts'
import type { ProcessGroup } from '../../shared/records/head.ts'
import type { DeploymentId } from '../../shared/records/ids.ts'
import type { FaultKind } from './faults.ts'
import { type ModelCloud, type ModelCall, createLostError } from './model-cloud.ts'
import type { Launch } from './network.ts'

/** The plugins of one process, and the process groups that they run in. */
export interface SimPlugins {
  readonly host: PluginHost
  readonly processes: ProcessesPort
}

type CallKind = ModelCall['kind']

/**
 * Creates plugins that call the model cloud. They die with their process, or when it ends them.
 * Pending calls are then lost, whatever their effect on the cloud. `refusals`: `<kind> <name>` of
 * calls that the cloud refuses in this deployment. `group`: their process group.
 */
export function createPlugins(
  launch: Launch,
  cloud: ModelCloud,
  options: {
    readonly refusals: ReadonlySet<string>
    readonly parallel: number
    readonly isShared: boolean
    readonly deployment: DeploymentId | undefined
    readonly group: ProcessGroup
  },
): SimPlugins {
  const { refusals, group } = options
  let isOver = false
  const pendingCalls = new Map<ModelCall, (thrown: ProviderError) => void>()
  const endAll = (): void => {
    for (const [call, fail] of pendingCalls) {
      call.isOrphaned = true
      fail(createLostError())
    }
    pendingCalls.clear()
  }
  const callCloud = <T>(
    target: {
      readonly kind: CallKind
      readonly urn: string
      readonly name: string
      readonly id: string
    },
    run: (call: ModelCall, isPartial: boolean) => T,
  ): Promise<T> => {
    const { kind, urn, id } = target
    const sentMs = launch.nowMs()
    const call: ModelCall = {
      kind,
      urn,
      id,
      deployment: options.deployment ?? launch.deployment(),
      // A process that is silent for a whole lease has lost the lease and its plugins.
      sender: {
        key: launch.key,
        isDead: () => launch.node.isDead() || launch.node.lostLeaseSince(sentMs),
        wasFrozen: () => launch.node.frozeSince(sentMs),
      },
      isOrphaned: false,
      isAnswered: false,
      isOver: false,
      parallel: options.parallel,
      isShared: options.isShared,
      isRefused: false,
    }
    const effectObserver = {
      label: id === '' ? target.name : id,
      onSent: () => cloud.onSent(call),
      onOrphaned: () => {
        call.isOrphaned = true
      },
    }
    const performCall = (_call: string, faultKind?: FaultKind): T => {
      call.isRefused = refusals.has(`${kind} ${target.name}`)
      if (call.isRefused)
        throw new ProviderError(`${kind} ${target.name} was refused`, { status: 'ok', code: 9 })
      return run(call, faultKind === 'create is partial')
    }
    return new Promise((resolve, reject) => {
      const endCall = (): void => {
        call.isAnswered = pendingCalls.delete(call) && !call.isOrphaned
        call.isOver = true
      }
      pendingCalls.set(call, reject)
      launch.sendEffect(`provider.${kind}`, performCall, effectObserver).then(
        value => {
          endCall()
          resolve(value)
        },
        thrown => {
          endCall()
          reject(thrown)
        },
      )
    })
  }
  const provider = createSimProvider(cloud, callCloud)
  return {
    host: {
      load: async () => {
        await launch.node.clock.sleep(200)
        return provider
      },
      obtain: async () => ({ path: 'simulated' }),
      cancelAll: () => Promise.resolve(),
      abandon: endAll,
      close: () => Promise.resolve(),
    },
    processes: {
      spawn: () => {
        throw new TypeError('processes are not supported here')
      },
      listGroups: () => (isOver ? [] : [group]),
      close: async () => {
        isOver = true
        endAll()
      },
    },
  }
}

type CallCloud = <T>(
  target: {
    readonly kind: CallKind
    readonly urn: string
    readonly name: string
    readonly id: string
  },
  run: (call: ModelCall, isPartial: boolean) => T,
) => Promise<T>

function createSimProvider(cloud: ModelCloud, callCloud: CallCloud): Provider {
  const createOutputs = (inputs: PropertyMap): PropertyMap => new Map([...inputs, ['made', 'yes']])
  return {
    pkg: 'test',
    version: '',
    isUnconfigured: () => false,
    hasEnded: () => false,
    checkConfig: async ({ newInputs }) => ({ inputs: newInputs, failures: [] }),
    diffConfig: async ({ oldInputs, newInputs }) => diffOf(oldInputs, newInputs),
    parameterize: () => Promise.resolve(),
    configure: async () => {},
    check: async ({ newInputs }) => ({ inputs: newInputs, failures: [] }),
    diff: async ({ oldInputs, newInputs, oldOutputs }) =>
      oldOutputs.has(taintedKey)
        ? replacementDiff
        : upgradeSame(diffOf(oldInputs, newInputs), oldOutputs),
    create: ({ urn, name, inputs }) =>
      callCloud({ kind: 'create', urn, name, id: '' }, (call, isPartial) => {
        const id = cloud.create(call, name, inputs)
        if (isPartial && isOfTerraform(name))
          throw partialError(id, new Map([...createOutputs(inputs), [taintedKey, 'yes']]))
        if (isPartial) throw partialError(id, createOutputs(inputs))
        return { id, outputs: createOutputs(inputs), refreshBeforeUpdate: false }
      }),
    update: ({ urn, name, id, newInputs }) =>
      callCloud({ kind: 'update', urn, name, id }, call => {
        cloud.update(call, newInputs)
        return { outputs: createOutputs(newInputs), refreshBeforeUpdate: false }
      }),
    delete: ({ urn, name, id }) =>
      callCloud({ kind: 'delete', urn, name, id }, call => cloud.remove(call)),
    read: ({ urn, name, id }) =>
      callCloud({ kind: 'read', urn, name, id }, () => {
        const object = cloud.objects.get(id)
        const outputs = object === undefined ? undefined : createOutputs(object.inputs)
        const readFields = {
          inputs: object?.inputs,
          outputs,
          refreshBeforeUpdate: false,
          initErrors: [],
        }
        return { id: object === undefined ? '' : id, ...readFields }
      }),
    invoke: async () => ({ outputs: new Map([['answer', cloud.nextAnswer()]]), failures: [] }),
    call: async () => ({ outputs: new Map([['answer', cloud.nextAnswer()]]), failures: [] }),
    construct: () => Promise.reject(new Error('components are not supported here')),
    cancel: async () => {},
    close: async () => {},
  }
}

/** The output that marks an object whose create was partial. The next diff replaces this object. */
const taintedKey = 'tainted'

/** Reports whether a resource behaves like one of a Terraform provider: half of them do. */
function isOfTerraform(name: string): boolean {
  return name.charCodeAt(name.length - 1) % 2 === 0
}

/** The difference of a tainted object, as the Terraform driver returns it. */
const replacementDiff: DiffResult = {
  changes: 'some',
  replaceKeys: ['__meta'],
  stableKeys: [],
  changedKeys: ['__meta'],
  detailedDiff: null,
  deleteBeforeReplace: false,
}

/** The output that the provider adds to an unchanged object, as if its schema had a new version. */
const upgradedKey = 'upgraded'

/** The outputs that the provider adds to a state, and that the object itself does not have. */
export const recordKeys: readonly string[] = [taintedKey, upgradedKey]

/** Returns the outputs without those of `recordKeys`. */
export function omitRecordKeys(outputs: PropertyMap): PropertyMap {
  return new Map([...outputs].filter(([key]) => !recordKeys.includes(key)))
}

/** Adds outputs in a newer form to the diff of an unchanged object whose outputs are older. */
function upgradeSame(diff: DiffResult, oldOutputs: PropertyMap): DiffResult {
  if (diff.changes !== 'none' || oldOutputs.has(upgradedKey)) return diff
  return { ...diff, upgradedOutputs: new Map([...oldOutputs, [upgradedKey, 'yes']]) }
}

/**
 * Returns the difference of inputs. An input whose name begins with `fixed` cannot be changed in
 * place.
 */
function diffOf(olds: PropertyMap, news: PropertyMap): DiffResult {
  const keys = [...new Set([...olds.keys(), ...news.keys()])]
  const changedKeys = keys.filter(
    key => containsUnknown(news.get(key)) || !areEqualValues(olds.get(key), news.get(key)),
  )
  return {
    changes: changedKeys.length > 0 ? 'some' : 'none',
    replaceKeys: changedKeys.filter(key => key.startsWith('fixed')),
    stableKeys: [],
    changedKeys,
    detailedDiff: null,
    deleteBeforeReplace: false,
  }
}

/** Returns the error of a create whose object exists but is not ready. */
function partialError(id: string, outputs: PropertyMap): ProviderError {
  return new ProviderError('not ready', {
    status: 'partial',
    code: 2,
    partialResource: {
      id,
      outputs,
      inputs: undefined,
      reasons: ['it takes a while'],
      refreshBeforeUpdate: false,
    },
  })
}
