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
import type { Script } from '../../shared/providers/pulumi/scripted-server.ts'

/** A cloud in memory with its provider. A changed input `replace` forces a replacement. */
export interface Cloud {
  readonly script: Script
  /** The existing objects: id → inputs. */
  readonly objects: Map<string, Record<string, unknown>>
  /** Mutating calls in order, as `create a`, `update a-1`, `delete a-1`. */
  readonly log: string[]
  /** Calls that fail, as `create a` or `update a-1`. */
  readonly faults: Set<string>
  /** Changes one object and removes another without the engine; a refresh finds both. */
  readonly drift: () => void
  /** Ids of objects that `drift` removed. */
  readonly drifted: Set<string>
  /** Holds creates of a name. `reached` resolves when one waits; `go` releases them. */
  readonly hold: (name: string) => { readonly reached: Promise<void>; readonly go: () => void }
  /** Returns the maximum number of concurrent mutating calls. */
  readonly readPeak: () => number
}

/** Creates an empty cloud, or a copy of another. Each mutating call takes `delayMs`. */
export function createCloud(delayMs = 0, from?: Cloud): Cloud {
  const objects = new Map(from?.objects)
  const log: string[] = []
  const faults = new Set<string>()
  const counts = new Map<string, number>()
  for (const line of from?.log ?? []) {
    const [what, name = ''] = line.split(' ')
    if (what === 'create') counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  const held = new Map<
    string,
    { reached: PromiseWithResolvers<void>; go: PromiseWithResolvers<void> }
  >()
  let running = 0
  let peak = 0
  const mutate = async <T>(what: string, change: () => T): Promise<T> => {
    running += 1
    peak = Math.max(peak, running)
    if (delayMs > 0) await new Promise(done => setTimeout(done, delayMs))
    running -= 1
    log.push(what)
    if (faults.has(what)) throw new Error(`${what} was refused`)
    return change()
  }
  const script: Script = {
    configure: () => ConfigureResponse.create({ acceptSecrets: true, supportsPreview: true }),
    check: (ask: CheckRequest) => CheckResponse.create({ inputs: ask.news ?? {} }),
    diff: (ask: DiffRequest) => diffOf(ask.oldInputs ?? {}, ask.news ?? {}),
    create: async (ask: CreateRequest) => {
      const properties = ask.properties ?? {}
      if (ask.preview) return CreateResponse.create({ properties })
      held.get(ask.name)?.reached.resolve()
      await held.get(ask.name)?.go.promise
      return mutate(`create ${ask.name}`, () => {
        const number = (counts.get(ask.name) ?? 0) + 1
        counts.set(ask.name, number)
        const id = `${ask.name}-${number}`
        objects.set(id, properties)
        return CreateResponse.create({ id, properties })
      })
    },
    update: (ask: UpdateRequest) => {
      const properties = ask.news ?? {}
      if (ask.preview) return UpdateResponse.create({ properties })
      return mutate(`update ${ask.id}`, () => {
        objects.set(ask.id, properties)
        return UpdateResponse.create({ properties })
      })
    },
    delete: (ask: DeleteRequest) =>
      mutate(`delete ${ask.id}`, () => {
        objects.delete(ask.id)
        return {}
      }),
    parameterize: ({ parameters }: ParameterizeRequest) => {
      const { name, version } = { name: '', version: '', ...parameters?.value }
      return ParameterizeResponse.create({ name, version })
    },
    invoke: () => InvokeResponse.create({ return: { count: 1 } }),
    read: (ask: ReadRequest) => {
      const found = objects.get(ask.id)
      return found === undefined
        ? ReadResponse.create({})
        : ReadResponse.create({ id: ask.id, properties: found, inputs: found })
    },
  }
  const hold: Cloud['hold'] = name => {
    const [reached, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    held.set(name, { reached, go })
    return { reached: reached.promise, go: go.resolve }
  }
  const drifted = new Set<string>()
  const drift = (): void => {
    const [removed, changed] = [...objects.keys()].filter(id => /^(?:kept|gone)-1$/.test(id)).sort()
    if (changed !== undefined) objects.set(changed, { v: 7 })
    if (removed === undefined) return
    objects.delete(removed)
    drifted.add(removed)
  }
  return { script, objects, log, faults, drift, drifted, hold, readPeak: () => peak }
}

function diffOf(olds: Record<string, unknown>, news: Record<string, unknown>): DiffResponse {
  const keys = [...new Set([...Object.keys(olds), ...Object.keys(news)])]
  const diffs = keys.filter(key => JSON.stringify(olds[key]) !== JSON.stringify(news[key]))
  const replaces = diffs.filter(key => key === 'replace')
  return DiffResponse.create({ changes: diffs.length > 0 ? 2 : 1, diffs, replaces })
}
