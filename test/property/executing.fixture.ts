import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { observeNothing } from '../../shared/engine/telemetry/observe-operation.ts'
import { createExecutor } from '../../shared/engine/executor/executor.ts'
import type {
  ExecutionContext,
  ExecutorPorts,
} from '../../shared/engine/executor/execution-context.ts'
import { createOperationSlots } from '../../shared/engine/deployment/dispatch/operation-slots.ts'
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
export interface RunFaults {
  /** The URNs whose deletes the provider refuses. */
  readonly refusedUrns: ReadonlySet<Urn>
  /**
   * For each death of an executor, the number of store effects before it, counted from the previous
   * death. Another executor takes over, and a sweep runs when the queue is empty.
   */
  readonly deaths: readonly number[]
  /**
   * Positions in the queue from which messages are received, each modulo the length of the queue.
   * The list is used repeatedly.
   */
  readonly queuePositions: readonly number[]
}

/** The result of a plan's run. */
export interface PlanRun {
  /** The effective begins, and the ends with their verdicts, in order. Joins are left out. */
  readonly log: readonly (readonly [event: 'begun' | Verdict, urn: Urn])[]
  /** The URNs whose delete succeeded. */
  readonly deletions: ReadonlySet<Urn>
  /** The maximum number of arrivals at a head. */
  readonly arrivalsMax: number
}

/** Wraps operations so that effective begins and ends are recorded. */
function recordEvents(
  operations: OperationsPort,
  onEvent: (id: OperationId, event: 'begun' | Verdict) => void,
): OperationsPort {
  return {
    ...operations,
    async begin(deploymentId, id, beginRequest) {
      const answer = await operations.begin(deploymentId, id, beginRequest)
      if (answer.kind === 'begun') onEvent(id, 'begun')
      return answer
    },
    async select(deploymentId, id, end) {
      const isSelected = await operations.select(deploymentId, id, end)
      if (isSelected) onEvent(id, end.verdict)
      return isSelected
    },
  }
}

const folder = mkdtempSync(join(tmpdir(), 'antichain-plans-'))
/**
 * A database with the real conditions of the store. Its file never changes, because each run is
 * rolled back.
 */
const database = openDatabase(join(folder, 'plans.db'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

/** Thrown at the effect at which an executor dies. */
class ExecutorDied extends Error {}

/**
 * Runs a plan to its end with the real executor over the real conditions of the store. Queue,
 * provider, control record, hints and clock are fakes.
 */
export async function executePlan(
  plannedOperations: readonly PlannedOperation[],
  faults: RunFaults,
): Promise<PlanRun> {
  database.run('BEGIN')
  try {
    return await executeInTransaction(plannedOperations, faults)
  } finally {
    database.run('ROLLBACK')
  }
}

async function executeInTransaction(
  plannedOperations: readonly PlannedOperation[],
  faults: RunFaults,
): Promise<PlanRun> {
  const call = (async (name: string, args: unknown) =>
    parseMethod(name).run(database, args)) as StoreCall
  const byId = new Map(
    plannedOperations.map(plannedOperation => [plannedOperation.operation.id, plannedOperation]),
  )
  const log: (readonly [PlanRun['log'][number][0], Urn])[] = []
  const recordedOperations = recordEvents(createOperations(call), (id, event) => {
    const match = byId.get(id)
    if (match?.step !== undefined) log.push([event, match.operation.urn])
  })
  const deaths = [...faults.deaths]
  let remainingEffects = deaths.shift() ?? Number.POSITIVE_INFINITY
  let currentExecutor = 1
  const isDead = (executor: number): boolean => executor < currentExecutor
  /**
   * Returns the operations port of one executor. The executor dies before one of its effects, and
   * does nothing afterwards.
   */
  const createMortalOperations = (executor: number): OperationsPort => {
    const die = (): never => {
      throw new ExecutorDied()
    }
    const guard = <F extends (...args: never[]) => Promise<unknown>>(effect: F): F =>
      ((...args: Parameters<F>) => {
        if (isDead(executor)) return Promise.reject(new ExecutorDied())
        if ((remainingEffects -= 1) >= 0) return effect(...args)
        remainingEffects = deaths.shift() ?? Number.POSITIVE_INFINITY
        currentExecutor += 1
        return Promise.resolve().then(die)
      }) as unknown as F
    const { arrive, begin, putOutcome, select } = recordedOperations
    return {
      ...recordedOperations,
      arrive: guard(arrive),
      begin: guard(begin),
      putOutcome: guard(putOutcome),
      select: guard(select),
    }
  }
  const operations = plannedOperations.map(({ operation }) => operation)
  let queue: ChainMessage[] = []
  const chains = { send: async (messages: readonly ChainMessage[]) => void queue.push(...messages) }
  const unlimitedPermit = {
    isLimited: false,
    isCurrent: async () => true,
    onStart: () => undefined,
    end: async () => undefined,
  }
  const contextOf = (executor: number): ExecutionContext =>
    ({
      deployment,
      logIndex: { find: (id: never) => Promise.resolve(byId.get(id)?.operation) },
      sealing: { seal: () => ({}), open: () => ({}) },
      openStep: ({ id }: { id: never }) => Promise.resolve(byId.get(id)?.step),
      emitter: {
        emitBegin: () => undefined,
        emitEnd: () => undefined,
        report: () => undefined,
      },
      performDeps: {
        provider: () =>
          Promise.resolve({
            delete: async ({ urn }: { urn: Urn }) => {
              if (isDead(executor)) throw new ExecutorDied()
              if (faults.refusedUrns.has(urn))
                throw new ProviderError('refused', {
                  code: 2,
                  status: 'ok',
                  partialResource: undefined,
                })
            },
            read: async ({ id }: { id: string }) => ({ id, inputs: new Map(), outputs: new Map() }),
          }),
        timestamp: () => '',
        beforeRetry: () => Promise.resolve(),
        warn: () => undefined,
      },
      reportedOperations: new Set(),
      slots: createOperationSlots(8),
      limiter: { acquire: async () => unlimitedPermit },
      mayGeneratorPark: true,
      observe: observeNothing,
      holdsLease: () => !isDead(executor),
      earlierDurationsMs: new Map(),
      admit: async () => 'now',
      isAbandoned: () => isDead(executor),
    }) as unknown as ExecutionContext
  const run = async (message: ChainMessage): Promise<void> => {
    const executor = currentExecutor
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
  let pickCount = 0
  const sweepDead = (): Promise<unknown> => {
    const isGone = (executor: ExecutorId): boolean => isDead(Number(executor))
    return sweep(
      { deployment, operations: recordedOperations, chains: chains as never, isGone },
      operations,
    )
  }
  await chains.send(
    toChainMessages(
      deployment,
      operations.filter(({ needs, op }) => needs === 0 && op !== 'join'),
    ),
  )
  while (queue.length > 0) {
    while (queue.length > 0) {
      const index =
        (faults.queuePositions[(pickCount += 1) % faults.queuePositions.length] ?? 0) % queue.length
      const [message] = queue.splice(index, 1)
      if (message !== undefined) await run(message)
    }
    await sweepDead()
  }
  const heads = new Map(
    (
      await Promise.all(
        Array.from({ length: Math.ceil(operations.length / 500) }, (_, page) =>
          recordedOperations.getHeads(
            deployment,
            operations.slice(page * 500, (page + 1) * 500).map(({ id }) => id),
          ),
        ),
      )
    ).flatMap(map => [...map]),
  )
  const deletions = plannedOperations.filter(({ operation, step }) => {
    const verdict = heads.get(operation.id)?.end?.verdict
    return step !== undefined && verdict === 'succeeded'
  })
  return {
    log,
    deletions: new Set(deletions.map(({ operation }) => operation.urn)),
    arrivalsMax: Math.max(0, ...[...heads.values()].map(({ arrived }) => arrived.length)),
  }
}
