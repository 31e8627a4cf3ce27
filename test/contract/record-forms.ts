import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Platform } from '../../shared/ports/platform.ts'
import { deploymentPartsOf, type DeploymentId, type StackId } from '../../shared/records/ids.ts'
import type { DeploymentRequest } from '../../shared/records/request.ts'
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
  readonly renew: (kind: StoredKind, deployment: DeploymentId) => void
  /** Makes them unreadable. Returns false if nothing in them can be damaged. */
  readonly damage: (kind: StoredKind, deployment: DeploymentId) => boolean
  /** Removes the record with a number from its log. */
  readonly lose: (deployment: DeploymentId, number: number) => void
  /** Returns their stored form. */
  readonly readRaw: (kind: StoredKind, deployment: DeploymentId) => unknown
}

/** The ports of a platform whose records can be changed directly. */
export interface Tampered extends AdapterHandle<Platform> {
  readonly tampering: Tampering
}

interface Case {
  readonly kind: StoredKind
  /** The name of the record in errors. */
  readonly label: string
  readonly reads: (ports: Platform, deployment: DeploymentId) => Promise<unknown>
  readonly writes: (
    ports: Platform,
    deployment: DeploymentId,
  ) => readonly (() => Promise<unknown>)[]
}

const one = toOperationId(1)
const executor = toExecutorId('e')
const stackOf = (deployment: DeploymentId) => deploymentPartsOf(deployment).stack

const cases: readonly Case[] = [
  {
    kind: 'log',
    label: 'log record',
    reads: ({ decisionLog }, deployment) => decisionLog.read(deployment, toLogNumber(0), 10),
    writes: () => [],
  },
  {
    kind: 'head',
    label: 'head',
    reads: ({ operations }, deployment) => operations.getHeads(deployment, [one]),
    writes: ({ operations }, deployment) => [
      () => operations.arrive(deployment, one, toOperationId(9)),
      () =>
        operations.begin(deployment, one, {
          owner: toOwnerToken('o'),
          executor,
          attempt: 1,
          needs: 0,
        }),
      () => operations.giveBack(deployment, one, toOwnerToken('o'), 1),
      () => operations.lapse(deployment, one, toOwnerToken('o'), 1),
      () =>
        operations.select(deployment, one, {
          owner: toOwnerToken('o'),
          attempt: 1,
          verdict: 'failed',
        }),
    ],
  },
  {
    kind: 'outcome',
    label: 'outcome',
    reads: ({ operations }, deployment) => operations.getOutcome(deployment, one, 1),
    writes: () => [],
  },
  {
    kind: 'control',
    label: 'control record',
    reads: ({ control }, deployment) => control.read(deployment),
    writes: ({ control }, deployment) => [
      () => control.stop(deployment, 'forced'),
      () => control.hold(deployment, contractHolder, toLogNumber(1)),
      () => control.close(deployment),
    ],
  },
  {
    kind: 'lease',
    label: 'lease',
    reads: ({ leases }, deployment) => leases.list(deployment),
    writes: ({ leases }, deployment) => [
      () => leases.renew(deployment, executor, []),
      () => leases.retire(deployment, executor),
      () => leases.leave(deployment, executor),
    ],
  },
  {
    kind: 'event',
    label: 'event',
    reads: ({ events }, deployment) => events.read(deployment, 0, 10),
    writes: () => [],
  },
  {
    kind: 'stack',
    label: 'stack record',
    reads: ({ catalog }, deployment) => catalog.getStack(stackOf(deployment)),
    writes: ({ catalog }, deployment) => [
      () => catalog.publish(stackOf(deployment), 1, toBlobHash('b')),
    ],
  },
  {
    kind: 'history',
    label: 'history record',
    reads: ({ catalog }, deployment) => catalog.listHistory(stackOf(deployment), 10),
    writes: ({ catalog }, deployment) => [
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
    reads: ({ catalog }, deployment) => catalog.listVersions(stackOf(deployment), 10),
    writes: () => [],
  },
  {
    kind: 'late',
    label: 'late outcome',
    reads: ({ catalog }, deployment) => catalog.listLate(stackOf(deployment), 10),
    writes: () => [],
  },
  {
    kind: 'request',
    label: 'request',
    reads: ({ requests }, deployment) => requests.listWaiting(stackOf(deployment), 10),
    writes: ({ requests }, deployment) => [
      () => requests.find(stackOf(deployment), 'a'),
      () => requests.put({ ...requestOf(stackOf(deployment)), by: 'another' }),
      () => requests.end(stackOf(deployment), 'a', { kind: 'superseded', by: 'b' }),
    ],
  },
]

function requestOf(stack: StackId): DeploymentRequest {
  return {
    ...{ stack, key: 'a', at: toEpochMs(1), by: 'a test', dryRun: false },
    options: {
      ...{ command: 'up', parallel: 8, refresh: false, continueOnError: false },
      ...{ execute: 'functions', message: '' },
    },
    program: { kind: 'last' },
  }
}

/** Creates one record of each kind, of a deployment of its own. */
async function createRecorded(ports: Platform): Promise<DeploymentId> {
  const stack = createStackId()
  await ports.catalog.createStack(stack, toEpochMs(1))
  const startInput = {
    command: 'up',
    message: '',
    holder: contractHolder,
    at: toEpochMs(2),
  } as const
  const { deployment } = await ports.catalog.start(stack, startInput)
  await ports.catalog.publish(stack, 0, toBlobHash('a'))
  const record = { writer: toWriterToken('w'), at: toEpochMs(3), decisions: [] }
  await ports.decisionLog.append(deployment, { number: toLogNumber(0), ...record })
  await ports.control.create(deployment, contractHolder)
  await ports.leases.register(deployment, executor, contractHolder)
  await ports.events.append(deployment, 'w', 0, ['{}'])
  const claim = { owner: toOwnerToken('o'), executor, attempt: 0, needs: 0 }
  await ports.operations.begin(deployment, one, claim)
  const times = { startedAt: toEpochMs(4), endedAt: toEpochMs(5) }
  await ports.operations.putOutcome(deployment, {
    operation: one,
    attempt: 1,
    verdict: 'succeeded',
    ...times,
  })
  const urn = 'urn:pulumi:s::p::t:m:T::n' as never
  const state = { urn, custom: true, type: 't:m:T' }
  await ports.requests.put(requestOf(stack))
  await ports.catalog.putLate(stack, { deployment, operation: one, attempt: 1, urn, state })
  return deployment
}

/**
 * Tests records of a newer version, and damaged ones: they are refused by name and never
 * overwritten.
 */
export function recordFormsContract(name: string, open: () => Promise<Tampered>): void {
  describe(`forms of records: ${name}`, () => {
    let opened: Tampered
    beforeAll(async () => {
      opened = await open()
    })
    afterAll(() => opened.close())

    test('a stack with an unreadable record is listed separately and hides no other', async () => {
      const { ports, tampering } = opened
      const [good, damaged, newer] = [
        await createRecorded(ports),
        await createRecorded(ports),
        await createRecorded(ports),
      ]
      tampering.damage('stack', damaged)
      tampering.renew('stack', newer)
      const { stacks } = await ports.catalog.listStacks()
      expect(stacks.map(({ id }) => id)).toContain(stackOf(good))
      expect(await listStacks(ports, stackOf(damaged))).toMatchObject({ code: 'RECORD_DAMAGED' })
      expect(await listStacks(ports, stackOf(newer))).toMatchObject({ code: 'RECORD_TOO_NEW' })
    })

    test('a log with a missing record is refused with the key of that record by every reader', async () => {
      const { ports, tampering } = opened
      const deployment = await createRecorded(ports)
      const record = { writer: toWriterToken('w'), at: toEpochMs(3), decisions: [] }
      for (const number of [1, 2, 3])
        await ports.decisionLog.append(deployment, { number: toLogNumber(number), ...record })
      tampering.lose(deployment, 2)
      for (const from of [0, 1, 2]) {
        const thrown = await ports.decisionLog
          .read(deployment, toLogNumber(from), 10)
          .catch((why: unknown) => why)
        expect(thrown).toMatchObject({ code: 'RECORD_DAMAGED' })
        expect(String(thrown)).toContain(`(deployment ${deployment}, number 2) is missing`)
      }
      expect(await ports.decisionLog.read(deployment, toLogNumber(0), 2)).toHaveLength(2)
      expect(await ports.decisionLog.read(deployment, toLogNumber(3), 10)).toHaveLength(1)
    })

    test.each(cases)('a $said of a newer version is refused by name and version', async each => {
      const { ports, tampering } = opened
      const deployment = await createRecorded(ports)
      await each.reads(ports, deployment)
      tampering.renew(each.kind, deployment)
      const before = tampering.readRaw(each.kind, deployment)
      const thrown = await each.reads(ports, deployment).catch((why: unknown) => why)
      expect(thrown).toMatchObject({ code: 'RECORD_TOO_NEW' })
      expect(String(thrown)).toContain(each.label)
      expect(String(thrown)).toContain('it has format 2, this version knows 1')
      for (const write of each.writes(ports, deployment)) await refusedOrIdle(write())
      expect(tampering.readRaw(each.kind, deployment)).toEqual(before)
    })

    test.each(cases)('a damaged $said is named by its key', async each => {
      const { ports, tampering } = opened
      const deployment = await createRecorded(ports)
      if (!tampering.damage(each.kind, deployment)) return
      const before = tampering.readRaw(each.kind, deployment)
      const thrown = await each.reads(ports, deployment).catch((why: unknown) => why)
      expect(thrown).toMatchObject({ code: 'RECORD_DAMAGED' })
      expect(String(thrown)).toContain(`the ${each.label} (`)
      expect(String(thrown)).toContain(stackOf(deployment))
      for (const write of each.writes(ports, deployment)) await refusedOrIdle(write())
      expect(tampering.readRaw(each.kind, deployment)).toEqual(before)
    })
  })
}

/** Lists the stacks when the record of one cannot be read. */
async function listStacks({ catalog }: Platform, stack: StackId): Promise<unknown> {
  const { stacks, unreadable } = await catalog.listStacks()
  expect(stacks.map(({ id }) => id)).not.toContain(stack)
  return unreadable.find(({ id }) => id === stack)?.why
}

/** Accepts a write that is refused for another reason before it reads the record. */
async function refusedOrIdle(write: Promise<unknown>): Promise<void> {
  const thrown = await write.catch((why: unknown) => why)
  if (thrown instanceof Error)
    expect(['RECORD_TOO_NEW', 'RECORD_DAMAGED']).toContain((thrown as { code?: string }).code)
}
