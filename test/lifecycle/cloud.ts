import {
  CheckResponse,
  CreateResponse,
  DiffResponse,
  InvokeResponse,
  ParameterizeResponse,
  ReadResponse,
  UpdateResponse,
  ConfigureResponse,
} from '../../proto/gen/pulumi/provider.ts'
import type {
  CheckRequest,
  CreateRequest,
  DeleteRequest,
  DiffRequest,
  ParameterizeRequest,
  ReadRequest,
  UpdateRequest,
} from '../../proto/gen/pulumi/provider.ts'
import type { Script } from '../../shared/providers/pulumi/scripted-server.fixture.ts'

/** A cloud in memory with its provider. A changed input `replace` forces a replacement. */
export interface Cloud {
  readonly script: Script
  /** The existing objects: id → inputs. */
  readonly objects: Map<string, Record<string, unknown>>
  /** Mutating calls in order, as `create a`, `update a-1`, `delete a-1`. */
  readonly mutatingCalls: string[]
  /** Calls that fail, as `create a` or `update a-1`. */
  readonly faults: Set<string>
  /** Changes `kept-1` and removes `gone-1` without the engine; a refresh finds both changes. */
  readonly drift: () => void
  /** Ids of objects that `drift` removed. */
  readonly driftedIds: Set<string>
  /**
   * Holds the creates of a resource. `reached` resolves when a create waits, and `release` lets the
   * creates continue.
   */
  readonly hold: (name: string) => { readonly reached: Promise<void>; readonly release: () => void }
  /** Returns the maximum number of concurrent mutating calls. */
  readonly readPeakConcurrency: () => number
}

/** Creates an empty cloud, or a copy of another. Each mutating call takes `delayMs`. */
export function createCloud(delayMs = 0, source?: Cloud): Cloud {
  const objects = new Map(source?.objects)
  const log: string[] = []
  const faults = new Set<string>()
  const counts = new Map<string, number>()
  for (const line of source?.mutatingCalls ?? []) {
    const [call, name = ''] = line.split(' ')
    if (call === 'create') counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  const heldCreates = new Map<
    string,
    { reached: PromiseWithResolvers<void>; release: PromiseWithResolvers<void> }
  >()
  let runningCalls = 0
  let peak = 0
  const mutate = async <T>(call: string, change: () => T): Promise<T> => {
    runningCalls += 1
    peak = Math.max(peak, runningCalls)
    if (delayMs > 0) await new Promise(resolve => setTimeout(resolve, delayMs))
    runningCalls -= 1
    log.push(call)
    if (faults.has(call)) throw new Error(`${call} was refused`)
    return change()
  }
  const script: Script = {
    configure: () => ConfigureResponse.create({ acceptSecrets: true, supportsPreview: true }),
    check: (request: CheckRequest) => CheckResponse.create({ inputs: request.news ?? {} }),
    diff: (request: DiffRequest) => diffOf(request.oldInputs ?? {}, request.news ?? {}),
    create: async (request: CreateRequest) => {
      const properties = request.properties ?? {}
      if (request.preview) return CreateResponse.create({ properties })
      heldCreates.get(request.name)?.reached.resolve()
      await heldCreates.get(request.name)?.release.promise
      return mutate(`create ${request.name}`, () => {
        const number = (counts.get(request.name) ?? 0) + 1
        counts.set(request.name, number)
        const id = `${request.name}-${number}`
        objects.set(id, properties)
        return CreateResponse.create({ id, properties })
      })
    },
    update: (request: UpdateRequest) => {
      const properties = request.news ?? {}
      if (request.preview) return UpdateResponse.create({ properties })
      return mutate(`update ${request.id}`, () => {
        objects.set(request.id, properties)
        return UpdateResponse.create({ properties })
      })
    },
    delete: (request: DeleteRequest) =>
      mutate(`delete ${request.id}`, () => {
        objects.delete(request.id)
        return {}
      }),
    parameterize: ({ parameters }: ParameterizeRequest) => {
      const { name, version } = { name: '', version: '', ...parameters?.value }
      return ParameterizeResponse.create({ name, version })
    },
    invoke: () => InvokeResponse.create({ return: { count: 1 } }),
    read: (request: ReadRequest) => {
      const properties = objects.get(request.id)
      return properties === undefined
        ? ReadResponse.create({})
        : ReadResponse.create({ id: request.id, properties, inputs: properties })
    },
  }
  const hold: Cloud['hold'] = name => {
    const [reached, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    heldCreates.set(name, { reached, release })
    return { reached: reached.promise, release: release.resolve }
  }
  const driftedIds = new Set<string>()
  const drift = (): void => {
    // The sort puts `gone-1` before `kept-1`.
    const [removedId, changedId] = [...objects.keys()]
      .filter(id => /^(?:kept|gone)-1$/.test(id))
      .sort()
    if (changedId !== undefined) objects.set(changedId, { v: 7 })
    if (removedId === undefined) return
    objects.delete(removedId)
    driftedIds.add(removedId)
  }
  return {
    script,
    objects,
    mutatingCalls: log,
    faults,
    drift,
    driftedIds,
    hold,
    readPeakConcurrency: () => peak,
  }
}

function diffOf(olds: Record<string, unknown>, news: Record<string, unknown>): DiffResponse {
  const keys = [...new Set([...Object.keys(olds), ...Object.keys(news)])]
  const diffs = keys.filter(key => JSON.stringify(olds[key]) !== JSON.stringify(news[key]))
  const replaces = diffs.filter(key => key === 'replace')
  // The values of `changes`: 1 is DIFF_NONE, and 2 is DIFF_SOME.
  return DiffResponse.create({ changes: diffs.length > 0 ? 2 : 1, diffs, replaces })
}
