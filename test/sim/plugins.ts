import type { DiffResult, PluginHost, Provider } from '../../shared/providers/provider.ts'
import { ProviderError } from '../../shared/providers/provider-error.ts'
import type { ProcessesPort } from '../../shared/ports/system.ts'
import { equalValues } from '../../shared/values/equal.ts'
import type { PropertyMap } from '../../shared/values/value.ts'
import { containsUnknown } from '../../shared/values/walk.ts'
import type { ProcessGroup } from '../../shared/records/head.ts'
import type { DeploymentId } from '../../shared/records/ids.ts'
import type { FaultKind } from './faults.ts'
import { type ModelCloud, type ModelCall, lostError } from './model-cloud.ts'
import type { Launch } from './network.ts'

/** The plugins of one process, and the process groups that they run in. */
export interface SimPlugins {
  readonly host: PluginHost
  readonly processes: ProcessesPort
}

type Kind = ModelCall['kind']

/**
 * Creates plugins that call the model cloud. They die with their process, or when it ends them.
 * Pending calls are then lost, whatever their effect on the cloud. `refuses`: `<kind> <name>` of
 * calls that the cloud refuses in this deployment. `group`: their process group.
 */
export function createPlugins(
  launch: Launch,
  cloud: ModelCloud,
  options: {
    readonly refuses: ReadonlySet<string>
    readonly parallel: number
    readonly isShared: boolean
    readonly deployment: DeploymentId | undefined
    readonly group: ProcessGroup
  },
): SimPlugins {
  const { refuses, group } = options
  let isOver = false
  const open = new Map<ModelCall, (thrown: ProviderError) => void>()
  const endAll = (): void => {
    for (const [call, fail] of open) {
      call.orphaned = true
      fail(lostError())
    }
    open.clear()
  }
  const callCloud = <T>(
    target: {
      readonly kind: Kind
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
      // A process that is silent for so long has lost its lease, and with it its plugins.
      sender: {
        key: launch.key,
        isDead: () => launch.node.isDead() || launch.node.lostLeaseSince(sentMs),
        hasSlept: () => launch.node.frozeSince(sentMs),
      },
      orphaned: false,
      isAnswered: false,
      isOver: false,
      parallel: options.parallel,
      isShared: options.isShared,
      isRefused: false,
    }
    const watched = {
      label: id === '' ? target.name : id,
      onSent: () => cloud.onSent(call),
      onOrphaned: () => {
        call.orphaned = true
      },
    }
    const performCall = (_call: string, struck?: FaultKind): T => {
      call.isRefused = refuses.has(`${kind} ${target.name}`)
      if (call.isRefused)
        throw new ProviderError(`${kind} ${target.name} was refused`, { status: 'ok', code: 9 })
      return run(call, struck === 'create is partial')
    }
    return new Promise((resolve, reject) => {
      const close = (): void => {
        call.isAnswered = open.delete(call) && !call.orphaned
        call.isOver = true
      }
      open.set(call, reject)
      launch.sendEffect(`provider.${kind}`, performCall, watched).then(
        value => {
          close()
          resolve(value)
        },
        thrown => {
          close()
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
  target: { readonly kind: Kind; readonly urn: string; readonly name: string; readonly id: string },
  run: (call: ModelCall, isPartial: boolean) => T,
) => Promise<T>

function createSimProvider(cloud: ModelCloud, callCloud: CallCloud): Provider {
  const withMade = (inputs: PropertyMap): PropertyMap => new Map([...inputs, ['made', 'yes']])
  return {
    pkg: 'test',
    version: '',
    isUnconfigured: () => false,
    isGone: () => false,
    checkConfig: async ({ news }) => ({ inputs: news, failures: [] }),
    diffConfig: async ({ oldInputs, newInputs }) => diffOf(oldInputs, newInputs),
    parameterize: () => Promise.resolve(),
    configure: async () => {},
    check: async ({ news }) => ({ inputs: news, failures: [] }),
    diff: async ({ oldInputs, newInputs }) => diffOf(oldInputs, newInputs),
    create: ({ urn, name, inputs }) =>
      callCloud({ kind: 'create', urn, name, id: '' }, (call, isPartial) => {
        const id = cloud.create(call, name, inputs)
        if (isPartial) throw partialError(id, withMade(inputs))
        return { id, outputs: withMade(inputs), refreshBeforeUpdate: false }
      }),
    update: ({ urn, name, id, newInputs }) =>
      callCloud({ kind: 'update', urn, name, id }, call => {
        cloud.update(call, newInputs)
        return { outputs: withMade(newInputs), refreshBeforeUpdate: false }
      }),
    delete: ({ urn, name, id }) =>
      callCloud({ kind: 'delete', urn, name, id }, call => cloud.remove(call)),
    read: ({ urn, name, id }) =>
      callCloud({ kind: 'read', urn, name, id }, () => {
        const found = cloud.objects.get(id)
        const outputs = found === undefined ? undefined : withMade(found.inputs)
        const read = { inputs: found?.inputs, outputs, refreshBeforeUpdate: false, initErrors: [] }
        return { id: found === undefined ? '' : id, ...read }
      }),
    invoke: async () => ({ outputs: new Map([['answer', cloud.nextAnswer()]]), failures: [] }),
    call: async () => ({ outputs: new Map([['answer', cloud.nextAnswer()]]), failures: [] }),
    construct: () => Promise.reject(new Error('components are not supported here')),
    cancel: async () => {},
    close: async () => {},
  }
}

/** An input whose name begins with `fixed` cannot be changed in place. */
function diffOf(olds: PropertyMap, news: PropertyMap): DiffResult {
  const keys = [...new Set([...olds.keys(), ...news.keys()])]
  const changed = keys.filter(
    key => containsUnknown(news.get(key)) || !equalValues(olds.get(key), news.get(key)),
  )
  return {
    changes: changed.length > 0 ? 'some' : 'none',
    replaceKeys: changed.filter(key => key.startsWith('fixed')),
    stableKeys: [],
    changedKeys: changed,
    detailedDiff: null,
    deleteBeforeReplace: false,
  }
}

/** Returns the error of a create whose object exists but is not ready. */
function partialError(id: string, outputs: PropertyMap): ProviderError {
  return new ProviderError('not ready', {
    status: 'partial',
    code: 2,
    partial: {
      id,
      outputs,
      inputs: undefined,
      reasons: ['it takes a while'],
      refreshBeforeUpdate: false,
    },
  })
}
