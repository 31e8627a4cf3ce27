import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Platform } from '../../shared/ports/platform.ts'
import { deploymentPartsOf, type DeploymentId, type StackId } from '../../shared/records/ids.ts'
import type { DeploymentRequest } from '../../shared/records/stack-request.ts'
import {
  type AdapterHandle,
  toBlobHash,
  toEpochMs,
  toExecutorId,
  createStackId,
  contractHolder,
  toLogNumber,
  toOperationId,
  toOwnerToken,
  toWriterToken,
} from './open-adapter.ts'

/** The kinds of stored records. */
export type StoredKind =
  | 'log'
  | 'head'
  | 'outcome'
  | 'control'
  | 'lease'
  | 'event'
  | 'stack'
  | 'history'
  | 'snapshot'
  | 'late'
  | 'request'

/** Changes records directly, as only a newer version or damage would. */
export interface Tampering {
  /** Marks the records of one kind of a deployment, or of its stack, with the next format. */
  readonly markNewer: (kind: StoredKind, deployment: DeploymentId) => void
  /** Makes the records of one kind unreadable. Returns false if nothing in them can be damaged. */
  readonly damage: (kind: StoredKind, deployment: DeploymentId) => boolean
  /** The kinds for which `damage` returns false. */
  readonly kindsWithoutDamage: readonly StoredKind[]
  /** The kinds whose damage only reads detect, because no condition of a write can. */
  readonly kindsWithUncheckedWrites: readonly StoredKind[]
  /** Removes the record with this number from the log. */
  readonly removeLogRecord: (deployment: DeploymentId, number: number) => void
  /** Returns the stored form of the records of one kind. */
  readonly readRaw: (kind: StoredKind, deployment: DeploymentId) => unknown
}

/** The ports of a platform whose records can be changed directly. */
export interface TamperablePlatform extends AdapterHandle<Platform> {
  readonly tampering: Tampering
}

interface RecordCase {
  readonly kind: StoredKind
  /** The name of the record in errors. */
  readonly label: string
  readonly read: (ports: Platform, deployment: DeploymentId) => Promise<unknown>
  readonly createWrites: (
    ports: Platform,
    deployment: DeploymentId,
  ) => readonly (() => Promise<unknown>)[]
}

const operationId = toOperationId(1)
const executor = toExecutorId('e')
const stackOf = (deployment: DeploymentId) => deploymentPartsOf(deployment).stack

const cases: readonly RecordCase[] = [
  {
    kind: 'log',
    label: 'log record',
    read: ({ decisionLog }, deployment) => decisionLog.read(deployment, toLogNumber(0), 10),
    createWrites: () => [],
  },
  {
    kind: 'head',
    label: 'head',
    read: ({ operations }, deployment) => operations.getHeads(deployment, [operationId]),
    createWrites: ({ operations }, deployment) => [
      () => operations.arrive(deployment, operationId, toOperationId(9)),
      () =>
        operations.begin(deployment, operationId, {
          owner: toOwnerToken('o'),
          executor,
          expectedAttempt: 1,
          needs: 0,
        }),
      () => operations.giveBack(deployment, operationId, toOwnerToken('o'), 1),
      () => operations.lapse(deployment, operationId, toOwnerToken('o'), 1),
      () =>
        operations.select(deployment, operationId, {
          owner: toOwnerToken('o'),
          attempt: 1,
          verdict: 'failed',
        }),
    ],
  },
  {
    kind: 'outcome',
    label: 'outcome',
    read: ({ operations }, deployment) => operations.getOutcome(deployment, operationId, 1),
    createWrites: () => [],
  },
  {
    kind: 'control',
    label: 'control record',
    read: ({ control }, deployment) => control.read(deployment),
    createWrites: ({ control }, deployment) => [
      () => control.stop(deployment, 'forced'),
      () => control.hold(deployment, contractHolder, toLogNumber(1)),
      () => control.close(deployment),
    ],
  },
  {
    kind: 'lease',
    label: 'lease',
    read: ({ leases }, deployment) => leases.list(deployment),
    createWrites: ({ leases }, deployment) => [
      () => leases.renew(deployment, executor, []),
      () => leases.retire(deployment, executor),
      () => leases.leave(deployment, executor),
    ],
  },
  {
    kind: 'event',
    label: 'event',
    read: ({ events }, deployment) => events.read(deployment, 0, 10),
    createWrites: () => [],
  },
  {
    kind: 'stack',
    label: 'stack record',
    read: ({ catalog }, deployment) => catalog.getStack(stackOf(deployment)),
    createWrites: ({ catalog }, deployment) => [
      () => catalog.publish(stackOf(deployment), 1, toBlobHash('b')),
    ],
  },
  {
    kind: 'history',
    label: 'history record',
    read: ({ catalog }, deployment) => catalog.listHistory(stackOf(deployment), 10),
    createWrites: ({ catalog }, deployment) => [
      () =>
        catalog.release(deployment, {
          at: toEpochMs(9),
          result: 'succeeded',
          changes: {},
          version: 1,
        }),
    ],
  },
  {
    kind: 'snapshot',
    label: 'snapshot record',
    read: ({ catalog }, deployment) => catalog.listVersions(stackOf(deployment), 10),
    createWrites: () => [],
  },
  {
    kind: 'late',
    label: 'late outcome',
    read: ({ catalog }, deployment) => catalog.listLateOutcomes(stackOf(deployment), 10),
    createWrites: () => [],
  },
  {
    kind: 'request',
    label: 'request',
    read: ({ requests }, deployment) => requests.listWaiting(stackOf(deployment), 10),
    createWrites: ({ requests }, deployment) => [
      () => requests.find(stackOf(deployment), 'a'),
      () => requests.put({ ...requestOf(stackOf(deployment)), by: 'another' }),
      () => requests.end(stackOf(deployment), 'a', { kind: 'superseded', by: 'b' }),
    ],
  },
]

function requestOf(stack: StackId): DeploymentRequest {
  return {
    stack,
    key: 'a',
    at: toEpochMs(1),
    by: 'a test',
    dryRun: false,
    options: {
      command: 'up',
      parallel: 8,
      refresh: false,
      continueOnError: false,
      execute: 'functions',
      message: '',
    },
    program: { kind: 'last' },
  }
}

/** Creates one record of each kind for a new deployment. */
async function createAllRecords(ports: Platform): Promise<DeploymentId> {
  const stack = createStackId()
  await ports.catalog.createStack(stack, toEpochMs(1))
  const startInput = {
    command: 'up',
    message: '',
    at: toEpochMs(2),
  } as const
  const { deployment } = await ports.catalog.start(stack, startInput)
  await ports.catalog.publish(stack, 0, toBlobHash('a'))
  const record = { writer: toWriterToken('w'), at: toEpochMs(3), decisions: [] }
  await ports.decisionLog.append(deployment, { number: toLogNumber(0), ...record })
  await ports.control.create(deployment, contractHolder)
  await ports.leases.register(deployment, executor, contractHolder)
  await ports.events.append(deployment, 'w', 0, ['{}'])
  const beginRequest = { owner: toOwnerToken('o'), executor, expectedAttempt: 0, needs: 0 }
  await ports.operations.begin(deployment, operationId, beginRequest)
  const times = { startedAt: toEpochMs(4), endedAt: toEpochMs(5) }
  await ports.operations.putOutcome(deployment, {
    operation: operationId,
    attempt: 1,
    verdict: 'succeeded',
    ...times,
  })
  const urn = 'urn:pulumi:s::p::t:m:T::n' as never
  const state = { urn, custom: true, type: 't:m:T' }
  await ports.requests.put(requestOf(stack))
  await ports.catalog.putLateOutcome(stack, {
    deployment,
    operation: operationId,
    attempt: 1,
    urn,
    state,
  })
  return deployment
}

/** The kinds of records that a removed stack loses from the catalog. */
const catalogKinds: readonly StoredKind[] = ['stack', 'history', 'snapshot']

/** Creates a stack with a deployment that has ended, and a published version. */
async function createEndedDeployment({ catalog }: Platform): Promise<DeploymentId> {
  const stack = createStackId()
  await catalog.createStack(stack, toEpochMs(1))
  const start = { command: 'up', message: '', at: toEpochMs(2) } as const
  const { deployment } = await catalog.start(stack, start)
  await catalog.publish(stack, 0, toBlobHash('a'))
  const end = { at: toEpochMs(9), result: 'succeeded', changes: {}, version: 1 } as const
  await catalog.release(deployment, end)
  return deployment
}

/**
 * Tests records of a newer version, and damaged ones. A read of such a record fails with an error
 * that names it. A write fails too or does nothing, and never overwrites the record.
 */
export function defineUnreadableRecordsContract(
  name: string,
  open: () => Promise<TamperablePlatform>,
): void {
  describe(`unreadable records: ${name}`, () => {
    let handle: TamperablePlatform
    beforeAll(async () => {
      handle = await open()
    })
    afterAll(() => handle.close())

    test('a stack with an unreadable record is listed separately and hides no other', async () => {
      const { ports, tampering } = handle
      const [good, damaged, newer] = [
        await createAllRecords(ports),
        await createAllRecords(ports),
        await createAllRecords(ports),
      ]
      tampering.damage('stack', damaged)
      tampering.markNewer('stack', newer)
      const { stacks } = await ports.catalog.listStacks()
      expect(stacks.map(({ id }) => id)).toContain(stackOf(good))
      expect(await findUnreadableReason(ports, stackOf(damaged))).toMatchObject({
        code: 'RECORD_DAMAGED',
      })
      expect(await findUnreadableReason(ports, stackOf(newer))).toMatchObject({
        code: 'RECORD_TOO_NEW',
      })
    })

    test('a read over a missing log record is refused with the key of that record', async () => {
      const { ports, tampering } = handle
      const deployment = await createAllRecords(ports)
      const record = { writer: toWriterToken('w'), at: toEpochMs(3), decisions: [] }
      for (const number of [1, 2, 3])
        await ports.decisionLog.append(deployment, { number: toLogNumber(number), ...record })
      tampering.removeLogRecord(deployment, 2)
      for (const from of [0, 1, 2]) {
        const thrown = await ports.decisionLog
          .read(deployment, toLogNumber(from), 10)
          .catch((cause: unknown) => cause)
        expect(thrown).toMatchObject({ code: 'RECORD_DAMAGED' })
        expect(String(thrown)).toContain(`(deployment ${deployment}, number 2) is missing`)
      }
      expect(await ports.decisionLog.read(deployment, toLogNumber(0), 2)).toHaveLength(2)
      expect(await ports.decisionLog.read(deployment, toLogNumber(3), 10)).toHaveLength(1)
    })

    test.each(['damage', 'markNewer'] as const)(
      'a stack with an unreadable record is not removed and loses none of its records: %s',
      async change => {
        const { ports, tampering } = handle
        const code = change === 'damage' ? 'RECORD_DAMAGED' : 'RECORD_TOO_NEW'
        for (const { kind, label } of cases.filter(({ kind }) => catalogKinds.includes(kind))) {
          const deployment = await createEndedDeployment(ports)
          tampering[change](kind, deployment)
          const read = () => catalogKinds.map(stored => tampering.readRaw(stored, deployment))
          const before = read()
          const thrown = await ports.catalog
            .removeStack(stackOf(deployment))
            .catch((cause: unknown) => cause)
          expect(thrown).toMatchObject({ code })
          expect(String(thrown)).toContain(`the stack was not removed: the ${label} (`)
          expect(String(thrown)).toContain(stackOf(deployment))
          const step = { damage: 'from a backup', markNewer: 'Use the newer antichain' }[change]
          expect((thrown as { readonly hint?: string }).hint).toContain(step)
          expect(read()).toEqual(before)
        }
      },
    )

    test.each(cases)(
      'the $label of a newer version is refused with its name and version',
      async recordCase => {
        const { ports, tampering } = handle
        const deployment = await createAllRecords(ports)
        await recordCase.read(ports, deployment)
        tampering.markNewer(recordCase.kind, deployment)
        const before = tampering.readRaw(recordCase.kind, deployment)
        const thrown = await recordCase.read(ports, deployment).catch((cause: unknown) => cause)
        expect(thrown).toMatchObject({ code: 'RECORD_TOO_NEW' })
        expect(String(thrown)).toContain(recordCase.label)
        expect(String(thrown)).toContain('it has format 2, this version knows 1')
        for (const write of recordCase.createWrites(ports, deployment))
          await expectRefusedOrIdle(write())
        expect(tampering.readRaw(recordCase.kind, deployment)).toEqual(before)
      },
    )

    test.each(cases)('the error for a damaged $label contains its key', async recordCase => {
      const { ports, tampering } = handle
      const deployment = await createAllRecords(ports)
      const isDamaged = tampering.damage(recordCase.kind, deployment)
      expect(isDamaged).toBe(!tampering.kindsWithoutDamage.includes(recordCase.kind))
      if (!isDamaged) return
      const before = tampering.readRaw(recordCase.kind, deployment)
      const thrown = await recordCase.read(ports, deployment).catch((cause: unknown) => cause)
      expect(thrown).toMatchObject({ code: 'RECORD_DAMAGED' })
      expect(String(thrown)).toContain(`the ${recordCase.label} (`)
      expect(String(thrown)).toContain(stackOf(deployment))
      if (tampering.kindsWithUncheckedWrites.includes(recordCase.kind)) return
      for (const write of recordCase.createWrites(ports, deployment))
        await expectRefusedOrIdle(write())
      expect(tampering.readRaw(recordCase.kind, deployment)).toEqual(before)
    })
  })
}

/** Checks that a stack with an unreadable record is listed separately, and returns the reason. */
async function findUnreadableReason({ catalog }: Platform, stack: StackId): Promise<unknown> {
  const { stacks, unreadable } = await catalog.listStacks()
  expect(stacks.map(({ id }) => id)).not.toContain(stack)
  return unreadable.find(({ id }) => id === stack)?.reason
}

/** Checks that a write of an unreadable record is refused, or returns without a write. */
async function expectRefusedOrIdle(write: Promise<unknown>): Promise<void> {
  const thrown = await write.catch((cause: unknown) => cause)
  if (thrown instanceof Error)
    expect(['RECORD_TOO_NEW', 'RECORD_DAMAGED']).toContain((thrown as { code?: string }).code)
}
