import type { SimStore } from './store.ts'
import type { Twist } from './world.ts'

/** A rule broken on purpose: some seed must notice. */
export interface Defect {
  readonly name: string
  readonly twist: Twist
}

const inStore = (name: string, change: (store: SimStore) => Partial<SimStore>): Defect => ({
  name,
  twist: { store: store => ({ ...store, ...change(store) }) },
})

/** Rules of the records, each broken once; the suites must catch every one. */
export const defects: readonly Defect[] = [
  inStore('an operation begins without what it needs', store => ({
    operations: {
      ...store.operations,
      begin: (deployment, operation, claim) =>
        store.operations.begin(deployment, operation, { ...claim, needs: 0 }),
    },
  })),
  inStore('the stop flag is not seen between begin and call', store => ({
    control: {
      ...store.control,
      read(deployment) {
        const control = store.control.read(deployment)
        return control === undefined ? undefined : { ...control, stop: 'none', closed: false }
      },
    },
  })),
  inStore('an arrival is dropped', store => {
    let arrivals = 0
    return {
      operations: {
        ...store.operations,
        arrive(deployment, to, from) {
          arrivals += 1
          const head = store.operations.heads(deployment, [to]).get(to)
          if (arrivals % 3 === 0 && head !== undefined) return head
          return store.operations.arrive(deployment, to, from)
        },
      },
    }
  }),
  inStore('an outcome is forgotten', store => {
    let outcomes = 0
    return {
      operations: {
        ...store.operations,
        putOutcome(deployment, outcome) {
          outcomes += 1
          if (outcomes % 5 !== 0) store.operations.putOutcome(deployment, outcome)
        },
      },
    }
  }),
  inStore('a select is answered and not written', store => {
    let selects = 0
    return {
      operations: {
        ...store.operations,
        select(deployment, operation, end) {
          selects += 1
          return selects % 7 === 0 || store.operations.select(deployment, operation, end)
        },
      },
    }
  }),
  inStore('interrupted is written as succeeded', store => ({
    operations: {
      ...store.operations,
      select: (deployment, operation, end) =>
        store.operations.select(deployment, operation, {
          ...end,
          verdict: end.verdict === 'interrupted' ? 'succeeded' : end.verdict,
        }),
    },
  })),
  inStore('a begun operation of a living owner is given to another', store => ({
    operations: {
      ...store.operations,
      begin(deployment, operation, claim) {
        const begun = store.operations.begin(deployment, operation, claim)
        if (begun.kind === 'begun' || begun.head.end !== undefined) return begun
        return { kind: 'begun', attempt: begun.head.attempt }
      },
    },
  })),
  inStore('a deposed generator still writes', store => {
    const last = new Map<string, number>()
    return {
      log: {
        ...store.log,
        append(deployment, record) {
          const number = Math.max(record.number, (last.get(deployment) ?? -1) + 1)
          last.set(deployment, number)
          return store.log.append(deployment, { ...record, number: number as typeof record.number })
        },
      },
    }
  }),
  inStore('a snapshot is published over another', store => ({
    catalog: {
      ...store.catalog,
      publish: (id, _expected, snapshot) =>
        store.catalog.publish(id, store.catalog.stack(id)?.version ?? 0, snapshot),
    },
  })),
  inStore('a retired executor renews', store => ({
    leases: { ...store.leases, renew: () => true, retire: () => undefined },
  })),
  inStore('a pending create is not carried', store => ({
    blobs: {
      ...store.blobs,
      put: bytes => store.blobs.put(withoutPending(bytes)),
    },
  })),
  inStore('a stack runs two deployments at once', store => ({
    catalog: {
      ...store.catalog,
      start(id, about) {
        const started = store.catalog.start(id, about)
        return { ...started, kind: 'started' }
      },
    },
  })),
]

function withoutPending(bytes: Uint8Array): Uint8Array {
  const text = Buffer.from(bytes).toString('utf8')
  if (!text.includes('"pending_operations"')) return bytes
  const { deployment, ...envelope } = JSON.parse(text) as { readonly deployment: object }
  const kept = { ...deployment, pending_operations: undefined }
  return Buffer.from(JSON.stringify({ ...envelope, deployment: kept }))
}
