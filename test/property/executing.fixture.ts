import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createExecutor } from '../../shared/engine/executor/executor.ts'
import type {
  ExecutionContext,
  ExecutorPorts,
} from '../../shared/engine/executor/execution-context.ts'
import { createSlots } from '../../shared/engine/deployment/dispatch/slots.ts'
import type { PlannedOperation } from '../../shared/engine/deployment/dispatch/hook-operations.ts'
import { toChainMessages } from '../../shared/engine/deployment/dispatch/chain-messages.ts'
import { sweep } from '../../shared/engine/deployment/recovery/sweep.ts'
import { ProviderError } from '../../shared/providers/provider-error.ts'
import { createOperations } from '../../shared/platform/embedded/operations.ts'
import { openDatabase } from '../../shared/platform/embedded/store/database.ts'
import {
  parseMethod,
  type StoreCall,
} from '../../shared/platform/embedded/store/methods/store-methods.ts'
import type { ChainMessage } from '../../shared/ports/queue.ts'
import type { OperationsPort } from '../../shared/ports/records.ts'
import type { Verdict } from '../../shared/records/head.ts'
import {
  type DeploymentId,
  deploymentIdOf,
  type ExecutorId,
  type OperationId,
  stackIdOf,
} from '../../shared/records/ids.ts'
import type { Urn } from '../../shared/names/urn.ts'

const deployment: DeploymentId = deploymentIdOf(stackIdOf('shop', 'dev'), 1)

/** The faults of a run. */
export interface Trouble {
  /** The refused deletes. */
  readonly refused: ReadonlySet<Urn>
  /** Numbers of store effects after which the executor dies. It is replaced, and a sweep runs. */
  readonly deaths: readonly number[]
  /** The next received message, by remainder, repeatedly. */
  readonly picks: readonly number[]
}

/** The result of a plan's run. */
export interface Executed {
  /** The effective begins, and ends by their verdict, in order. */
  readonly log: readonly (readonly [what: 'begun' | Verdict, urn: Urn])[]
  readonly gone: ReadonlySet<Urn>
  /** The maximum number of arrivals at a head. */
  readonly arrivalsMax: number
}

/** Wraps operations so that effective begins and ends are recorded. */
function withNotes(
  operations: OperationsPort,
  onNote: (id: OperationId, what: 'begun' | Verdict) => void,
): OperationsPort {
  return {
    ...operations,
    async begin(where, id, claim) {
      const begun = await operations.begin(where, id, claim)
      if (begun.kind === 'begun') onNote(id, 'begun')
      return begun
    },
    async select(where, id, end) {
      const isSelected = await operations.select(where, id, end)
      if (isSelected) onNote(id, end.verdict)
      return isSelected
    },
  }
}

/** The real conditions of the store over a file that is never written: each run is rolled back. */
const folder = mkdtempSync(join(tmpdir(), 'antichain-plans-'))
const database = openDatabase(join(folder, 'plans.db'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

/** Thrown at the effect at which an executor dies. */
class Dead extends Error {}

/**
 * Runs a plan to its end with the real executor over the real conditions of the store, in memory.
 * Only the queue and the provider are fakes.
 */
export async function execute(
  planned: readonly PlannedOperation[],
  trouble: Trouble,
): Promise<Executed> {
  database.run('BEGIN')
  try {
    return await executeIn(planned, trouble)
  } finally {
    database.run('ROLLBACK')
  }
}

async function executeIn(
  planned: readonly PlannedOperation[],
  trouble: Trouble,
): Promise<Executed> {
  const call = (async (name: string, args: unknown) =>
    parseMethod(name).run(database, args)) as StoreCall
  const byId = new Map(planned.map(one => [one.operation.id, one]))
  const log: (readonly [Executed['log'][number][0], Urn])[] = []
  const stored = withNotes(createOperations(call), (id, what) => {
    const found = byId.get(id)
    if (found?.step !== undefined) log.push([what, found.operation.urn])
  })
  const deaths = [...trouble.deaths]
  let left = deaths.shift() ?? Number.POSITIVE_INFINITY
  let identities = 1
  const isDead = (executor: number): boolean => executor < identities
  /**
   * Returns the operations of one executor. It dies before one of its effects, and does nothing
   * afterwards.
   */
  const createMortalOperations = (executor: number): OperationsPort => {
    const die = (): never => {
      throw new Dead()
    }
    const guard = <F extends (...args: never[]) => Promise<unknown>>(effect: F): F =>
      ((...args: Parameters<F>) => {
        if (isDead(executor)) return Promise.reject(new Dead())
        if ((left -= 1) >= 0) return effect(...args)
        left = deaths.shift() ?? Number.POSITIVE_INFINITY
        identities += 1
        return Promise.resolve().then(die)
      }) as unknown as F
    const { arrive, begin, putOutcome, select } = stored
    return {
      ...stored,
      arrive: guard(arrive),
      begin: guard(begin),
      putOutcome: guard(putOutcome),
      select: guard(select),
    }
  }
  const operations = planned.map(({ operation }) => operation)
  let queue: ChainMessage[] = []
  const chains = { send: async (sent: readonly ChainMessage[]) => void queue.push(...sent) }
  const contextOf = (executor: number): ExecutionContext =>
    ({
      deployment,
      plan: { find: (id: never) => Promise.resolve(byId.get(id)?.operation) },
      sealing: { seal: () => ({}), open: () => ({}) },
      stepOf: ({ id }: { id: never }) => Promise.resolve(byId.get(id)?.step),
      emitter: {
        emitBegin: () => undefined,
        emitEnd: () => undefined,
        report: () => undefined,
      },
      performing: {
        provider: () =>
          Promise.resolve({
            delete: async ({ urn }: { urn: Urn }) => {
              if (isDead(executor)) throw new Dead()
              if (trouble.refused.has(urn))
                throw new ProviderError('refused', { code: 2, status: 'ok', partial: undefined })
            },
            read: async ({ id }: { id: string }) => ({ id, inputs: new Map(), outputs: new Map() }),
          }),
        timestamp: () => '',
        beforeAgain: () => Promise.resolve(),
        warn: () => undefined,
      },
      reported: new Set(),
      slots: createSlots(8),
      holdsLease: () => !isDead(executor),
      knownDurations: new Map(),
      admit: async () => 'now',
      isAbandoned: () => isDead(executor),
    }) as unknown as ExecutionContext
  const run = async (message: ChainMessage): Promise<void> => {
    const executor = identities
    const ports = {
      operations: createMortalOperations(executor),
      chains: { ...chains, extend: async () => true, remove: async () => undefined },
      control: { read: async () => ({ stop: 'none', closed: false }) },
      hints: { hint: () => undefined },
      clock: {
        now: () => 0,
        monotonicMs: () => 0,
        sleep: async () => undefined,
        repeat: () => () => undefined,
        defer: queueMicrotask,
      },
      random: { uuid: () => `${(tokens += 1)}`, bytes: () => [255] },
    } as unknown as ExecutorPorts
    const handler = createExecutor(ports, {
      executor: String(executor) as ExecutorId,
      contextOf: () => Promise.resolve(contextOf(executor)),
    })
    await handler.runDelivery({ message, receipt: '', deliveries: 1 }).catch((thrown: unknown) => {
      if (!isDead(executor)) throw thrown
    })
  }
  let tokens = 0
  let turn = 0
  const sweepDead = (): Promise<unknown> => {
    const isGone = (executor: ExecutorId): boolean => isDead(Number(executor))
    return sweep({ deployment, operations: stored, chains: chains as never, isGone }, operations)
  }
  await chains.send(
    toChainMessages(
      deployment,
      operations.filter(({ needs, op }) => needs === 0 && op !== 'join'),
    ),
  )
  while (queue.length > 0) {
    while (queue.length > 0) {
      const at = (trouble.picks[(turn += 1) % trouble.picks.length] ?? 0) % queue.length
      const [message] = queue.splice(at, 1)
      if (message !== undefined) await run(message)
    }
    await sweepDead()
  }
  const heads = new Map(
    (
      await Promise.all(
        Array.from({ length: Math.ceil(operations.length / 500) }, (_, page) =>
          stored.getHeads(
            deployment,
            operations.slice(page * 500, (page + 1) * 500).map(({ id }) => id),
          ),
        ),
      )
    ).flatMap(map => [...map]),
  )
  const gone = planned.filter(({ operation, step }) => {
    const verdict = heads.get(operation.id)?.end?.verdict
    return step !== undefined && verdict === 'succeeded'
  })
  return {
    log,
    gone: new Set(gone.map(({ operation }) => operation.urn)),
    arrivalsMax: Math.max(0, ...[...heads.values()].map(({ arrived }) => arrived.length)),
  }
}
