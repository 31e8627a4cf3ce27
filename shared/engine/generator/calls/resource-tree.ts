import type { Urn } from '../../../names/urn.ts'

/** What the program and its components registered so far, by parent, and what is on its way. */
export interface ResourceTree {
  /** Registers something below a parent; who waits for that parent's children waits for it. */
  readonly registerBelow: <T>(parent: Urn | '', work: () => Promise<T>) => Promise<T>
  /** `exists`: of a custom resource whether it has an id. */
  readonly record: (resource: {
    readonly urn: Urn
    readonly parent: Urn | ''
    readonly custom: boolean
    readonly exists: boolean
  }) => void
  /**
   * Whether a custom resource among these, or below the components among them, does not exist yet;
   * a custom resource stands for itself alone. Waits for what is registered below those components.
   * What is not known is passed over. False at once when the deployment ends early.
   */
  readonly isPending: (urns: readonly Urn[]) => Promise<boolean>
}

/** An empty tree. Source: docs/spec/monitor.md#resourcemonitor, Invoke. */
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
  /** The components reached from these; undefined when something that does not exist was. */
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
