import type { Urn } from '../../../names/urn.ts'

/**
 * The registered resources of the program and its components, by parent, with the number of pending
 * registrations below each parent.
 */
export interface ResourceTree {
  /**
   * Registers a resource below a parent. Until the registration ends, the parent has a pending
   * child.
   */
  readonly registerBelow: <T>(parent: Urn | '', register: () => Promise<T>) => Promise<T>
  /** Adds a resource to the tree. `exists`: whether a custom resource has an id. */
  readonly record: (resource: {
    readonly urn: Urn
    readonly parent: Urn | ''
    readonly custom: boolean
    readonly exists: boolean
  }) => void
  /**
   * Reports whether one of the resources in `urns`, or a custom resource below a component in
   * `urns`, does not exist yet. Ignores the children of custom resources. Waits for pending
   * registrations below the components. Ignores unknown URNs. Returns false when the deployment
   * ends early.
   */
  readonly isPending: (urns: readonly Urn[]) => Promise<boolean>
}

/** Creates an empty tree. Source: docs/spec/monitor.md#invoke. */
export function createResourceTree(whenAborted: Promise<void>): ResourceTree {
  const resources = new Map<Urn, { readonly custom: boolean; readonly exists: boolean }>()
  const children = new Map<Urn | '', Urn[]>()
  const pendingChildCounts = new Map<Urn | '', number>()
  let nextChange = Promise.withResolvers<void>()
  let isAborted = false
  void whenAborted.then(() => {
    isAborted = true
  })
  const notifyChange = (): void => {
    nextChange.resolve()
    nextChange = Promise.withResolvers<void>()
  }
  const adjustPendingCount = (parent: Urn | '', increment: number): void => {
    const newCount = (pendingChildCounts.get(parent) ?? 0) + increment
    if (newCount === 0) pendingChildCounts.delete(parent)
    else pendingChildCounts.set(parent, newCount)
  }
  /**
   * Returns the components in `urns` and all components below them. Undefined if a custom resource
   * in `urns` or below these components does not exist yet.
   */
  const componentsOf = (urns: readonly Urn[]): ReadonlySet<Urn> | undefined => {
    const components = new Set<Urn>()
    const uncheckedUrns = [...urns]
    for (let urn = uncheckedUrns.pop(); urn !== undefined; urn = uncheckedUrns.pop()) {
      const resource = resources.get(urn)
      if (resource === undefined || components.has(urn)) continue
      if (resource.custom && !resource.exists) return undefined
      if (resource.custom) continue
      components.add(urn)
      uncheckedUrns.push(...(children.get(urn) ?? []))
    }
    return components
  }
  return {
    async registerBelow(parent, register) {
      adjustPendingCount(parent, 1)
      try {
        return await register()
      } finally {
        adjustPendingCount(parent, -1)
        notifyChange()
      }
    },
    record({ urn, parent, custom, exists }) {
      const siblings = children.get(parent) ?? []
      if (!resources.has(urn)) siblings.push(urn)
      children.set(parent, siblings)
      resources.set(urn, { custom, exists })
      notifyChange()
    },
    async isPending(urns) {
      while (!isAborted) {
        const components = componentsOf(urns)
        if (components === undefined) return true
        if (![...components].some(urn => pendingChildCounts.has(urn))) return false
        await Promise.race([nextChange.promise, whenAborted])
      }
      return false
    },
  }
}
