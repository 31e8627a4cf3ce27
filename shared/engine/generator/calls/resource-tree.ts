import type { Urn } from '../../../names/urn.ts'

/** The registered resources of the program and its components by parent, and the pending ones. */
export interface ResourceTree {
  /** Registers a resource below a parent, which has a pending child until it is done. */
  readonly registerBelow: <T>(parent: Urn | '', work: () => Promise<T>) => Promise<T>
  /** Adds a resource; `exists`: whether a custom resource has an id. */
  readonly record: (resource: {
    readonly urn: Urn
    readonly parent: Urn | ''
    readonly custom: boolean
    readonly exists: boolean
  }) => void
  /**
   * Reports whether a custom resource among these, or below the components among them, does not
   * exist yet. Children of custom resources do not count. Waits for pending registrations below
   * the components. Unknown URNs are ignored. False at once when the deployment ends early.
   */
  readonly isPending: (urns: readonly Urn[]) => Promise<boolean>
}

/** Creates an empty tree. Source: docs/spec/monitor.md#resourcemonitor, Invoke. */
export function createResourceTree(aborted: Promise<void>): ResourceTree {
  const found = new Map<Urn, { readonly custom: boolean; readonly exists: boolean }>()
  const children = new Map<Urn | '', Urn[]>()
  const running = new Map<Urn | '', number>()
  let changed = Promise.withResolvers<void>()
  let isAborted = false
  void aborted.then(() => {
    isAborted = true
  })
  const notifyChange = (): void => {
    changed.resolve()
    changed = Promise.withResolvers<void>()
  }
  const count = (parent: Urn | '', by: number): void => {
    const now = (running.get(parent) ?? 0) + by
    if (now === 0) running.delete(parent)
    else running.set(parent, now)
  }
  /** Returns the components below these; undefined if a custom resource does not exist yet. */
  const componentsOf = (urns: readonly Urn[]): ReadonlySet<Urn> | undefined => {
    const components = new Set<Urn>()
    const open = [...urns]
    for (let urn = open.pop(); urn !== undefined; urn = open.pop()) {
      const known = found.get(urn)
      if (known === undefined || components.has(urn)) continue
      if (known.custom && !known.exists) return undefined
      if (known.custom) continue
      components.add(urn)
      open.push(...(children.get(urn) ?? []))
    }
    return components
  }
  return {
    async registerBelow(parent, work) {
      count(parent, 1)
      try {
        return await work()
      } finally {
        count(parent, -1)
        notifyChange()
      }
    },
    record({ urn, parent, custom, exists }) {
      const siblings = children.get(parent) ?? []
      if (!found.has(urn)) siblings.push(urn)
      children.set(parent, siblings)
      found.set(urn, { custom, exists })
      notifyChange()
    },
    async isPending(urns) {
      while (!isAborted) {
        const components = componentsOf(urns)
        if (components === undefined) return true
        if (![...components].some(urn => running.has(urn))) return false
        await Promise.race([changed.promise, aborted])
      }
      return false
    },
  }
}
