import type { DiffResult, PluginHost, Provider } from '../../shared/providers/provider.ts'
import { ProviderError } from '../../shared/providers/provider.ts'
import type { ProcessesPort } from '../../shared/ports/system.ts'
import { equalValues } from '../../shared/values/equal.ts'
import type { PropertyMap } from '../../shared/values/value.ts'
import { containsUnknown } from '../../shared/values/walk.ts'
import type { ProcessGroup } from '../../shared/records/head.ts'
import type { DeploymentId } from '../../shared/records/ids.ts'
import type { FaultKind } from './faults.ts'
import { type Cloud, type CloudCall, lost } from './cloud.ts'
import type { Launch } from './network.ts'

/** The plugins of one process and the groups that they run in. */
export interface SimPlugins {
  readonly host: PluginHost
  readonly processes: ProcessesPort
}

type Kind = CloudCall['kind']

/**
 * Plugins that ask the model cloud. They die with their process and when it ends them: what they
 * were asked is then lost, which says nothing about the cloud. `refuses`: `<kind> <name>` of calls
 * that the cloud refuses in this deployment. `group`: the group that they run in.
 */
export function createPlugins(
  launch: Launch,
  cloud: Cloud,
  about: {
    readonly refuses: ReadonlySet<string>
    readonly parallel: number
    readonly isShared: boolean
    readonly deployment: DeploymentId | undefined
    readonly group: ProcessGroup
  },
): SimPlugins {
  const { refuses, group } = about
  let isOver = false
  const open = new Map<CloudCall, (thrown: ProviderError) => void>()
  const endAll = (): void => {
    for (const [call, fail] of open) {
      call.orphaned = true
      fail(lost())
    }
    open.clear()
  }
  const ask = <T>(
    asked: {
      readonly kind: Kind
      readonly urn: string
      readonly name: string
      readonly id: string
    },
    run: (call: CloudCall, isPartial: boolean) => T,
  ): Promise<T> => {
    const { kind, urn, id } = asked
    const sentMs = launch.nowMs()
    const call: CloudCall = {
      kind,
      urn,
      id,
      deployment: about.deployment ?? launch.deployment(),
      // Whoever is silent for so long has lost its lease, and its plugins with it.
      sender: {
        key: launch.key,
        isDead: () => launch.node.isDead() || launch.node.lostLeaseSince(sentMs),
        hasSlept: () => launch.node.frozeSince(sentMs),
      },
      orphaned: false,
      isHeard: false,
      isOver: false,
      parallel: about.parallel,
      isShared: about.isShared,
      isRefused: false,
    }
    const watched = {
      label: id === '' ? asked.name : id,
      sent: () => cloud.sent(call),
      orphan: () => {
        call.orphaned = true
      },
    }
    const carried = (_call: string, struck?: FaultKind): T => {
      call.isRefused = refuses.has(`${kind} ${asked.name}`)
      if (call.isRefused)
        throw new ProviderError(`${kind} ${asked.name} was refused`, { status: 'ok', code: 9 })
      return run(call, struck === 'create is partial')
    }
    return new Promise((resolve, reject) => {
      const close = (): void => {
        call.isHeard = open.delete(call) && !call.orphaned
        call.isOver = true
      }
      open.set(call, reject)
      launch.ask(`provider.${kind}`, carried, watched).then(
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
  const provider = providerOver(cloud, ask)
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
        throw new TypeError('nothing is started here')
      },
      listGroups: () => (isOver ? [] : [group]),
      close: async () => {
        isOver = true
        endAll()
      },
    },
  }
}

type AskCloud = <T>(
  about: { readonly kind: Kind; readonly urn: string; readonly name: string; readonly id: string },
  run: (call: CloudCall, isPartial: boolean) => T,
) => Promise<T>

function providerOver(cloud: Cloud, ask: AskCloud): Provider {
  const made = (inputs: PropertyMap): PropertyMap => new Map([...inputs, ['made', 'yes']])
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
      ask({ kind: 'create', urn, name, id: '' }, (call, isPartial) => {
        const id = cloud.create(call, name, inputs)
        if (isPartial) throw partial(id, made(inputs))
        return { id, outputs: made(inputs), refreshBeforeUpdate: false }
      }),
    update: ({ urn, name, id, newInputs }) =>
      ask({ kind: 'update', urn, name, id }, call => {
        cloud.update(call, newInputs)
        return { outputs: made(newInputs), refreshBeforeUpdate: false }
      }),
    delete: ({ urn, name, id }) =>
      ask({ kind: 'delete', urn, name, id }, call => cloud.remove(call)),
    read: ({ urn, name, id }) =>
      ask({ kind: 'read', urn, name, id }, () => {
        const found = cloud.objects.get(id)
        const outputs = found === undefined ? undefined : made(found.inputs)
        const read = { inputs: found?.inputs, outputs, refreshBeforeUpdate: false, initErrors: [] }
        return { id: found === undefined ? '' : id, ...read }
      }),
    invoke: async () => ({ outputs: new Map([['answer', cloud.answer()]]), failures: [] }),
    call: async () => ({ outputs: new Map([['answer', cloud.answer()]]), failures: [] }),
    construct: () => Promise.reject(new Error('no component is made here')),
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

/** What a create answers that made the object, which is not ready. */
function partial(id: string, outputs: PropertyMap): ProviderError {
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
