import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Platform } from '../../shared/ports/platform.ts'
import { deploymentPartsOf, type DeploymentId, type StackId } from '../../shared/records/ids.ts'
import type { DeploymentRequest } from '../../shared/records/request.ts'
import {
  type Opened,
  blobHash,
  epochMs,
  executorId,
  freshStack,
  holder,
  logNumber,
  operationId,
  ownerToken,
  writerToken,
} from './opened.ts'

/** The kinds of records that are stored. */
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

/** Reaches behind the ports of an adapter: to what only a newer version or an accident leaves. */
export interface Tampering {
  /** Marks the records of a kind of a deployment, or of its stack, as of the next format. */
  readonly renew: (kind: StoredKind, deployment: DeploymentId) => void
  /** Makes them unreadable; false where nothing in them can be. */
  readonly damage: (kind: StoredKind, deployment: DeploymentId) => boolean
  /** Takes the record of a number out of its log. */
  readonly lose: (deployment: DeploymentId, number: number) => void
  /** What is stored of them. */
  readonly raw: (kind: StoredKind, deployment: DeploymentId) => unknown
}

/** The ports of a platform that can be tampered with. */
export interface Tampered extends Opened<Platform> {
  readonly tampering: Tampering
}

interface Case {
  readonly kind: StoredKind
  /** How people are told of it. */
  readonly said: string
  readonly reads: (ports: Platform, deployment: DeploymentId) => Promise<unknown>
  readonly writes: (
    ports: Platform,
    deployment: DeploymentId,
  ) => readonly (() => Promise<unknown>)[]
}

const one = operationId(1)
const executor = executorId('e')
const stackOf = (deployment: DeploymentId) => deploymentPartsOf(deployment).stack

const cases: readonly Case[] = [
  {
    kind: 'log',
    said: 'log record',
    reads: ({ decisionLog }, deployment) => decisionLog.read(deployment, logNumber(0), 10),
    writes: () => [],
  },
  {
    kind: 'head',
    said: 'head',
    reads: ({ operations }, deployment) => operations.getHeads(deployment, [one]),
    writes: ({ operations }, deployment) => [
      () => operations.arrive(deployment, one, operationId(9)),
      () =>
        operations.begin(deployment, one, {
          owner: ownerToken('o'),
          executor,
          attempt: 1,
          needs: 0,
        }),
      () => operations.giveBack(deployment, one, ownerToken('o'), 1),
      () => operations.lapse(deployment, one, ownerToken('o'), 1),
      () =>
        operations.select(deployment, one, {
          owner: ownerToken('o'),
          attempt: 1,
          verdict: 'failed',
        }),
    ],
  },
  {
    kind: 'outcome',
    said: 'outcome',
    reads: ({ operations }, deployment) => operations.getOutcome(deployment, one, 1),
    writes: () => [],
  },
  {
    kind: 'control',
    said: 'control record',
    reads: ({ control }, deployment) => control.read(deployment),
    writes: ({ control }, deployment) => [
      () => control.stop(deployment, 'forced'),
      () => control.hold(deployment, holder, logNumber(1)),
      () => control.close(deployment),
    ],
  },
  {
    kind: 'lease',
    said: 'lease',
    reads: ({ leases }, deployment) => leases.list(deployment),
    writes: ({ leases }, deployment) => [
      () => leases.renew(deployment, executor, []),
      () => leases.retire(deployment, executor),
      () => leases.leave(deployment, executor),
    ],
  },
  {
    kind: 'event',
    said: 'event',
    reads: ({ events }, deployment) => events.read(deployment, 0, 10),
    writes: () => [],
  },
  {
    kind: 'stack',
    said: 'stack record',
    reads: ({ catalog }, deployment) => catalog.getStack(stackOf(deployment)),
    writes: ({ catalog }, deployment) => [
      () => catalog.publish(stackOf(deployment), 1, blobHash('b')),
    ],
  },
  {
    kind: 'history',
    said: 'history record',
    reads: ({ catalog }, deployment) => catalog.listHistory(stackOf(deployment), 10),
    writes: ({ catalog }, deployment) => [
      () =>
        catalog.release(deployment, {
          at: epochMs(9),
          result: 'succeeded',
          changes: {},
          version: 1,
        }),
    ],
  },
  {
    kind: 'snapshot',
    said: 'snapshot record',
    reads: ({ catalog }, deployment) => catalog.listVersions(stackOf(deployment), 10),
    writes: () => [],
  },
  {
    kind: 'late',
    said: 'late outcome',
    reads: ({ catalog }, deployment) => catalog.listLate(stackOf(deployment), 10),
    writes: () => [],
  },
  {
    kind: 'request',
    said: 'request',
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
    ...{ stack, key: 'a', at: epochMs(1), by: 'a test', dryRun: false },
    options: {
      ...{ command: 'up', parallel: 8, refresh: false, continueOnError: false },
      ...{ execute: 'functions', message: '' },
    },
    program: { kind: 'last' },
  }
}

/** One record of each kind, of a deployment of its own. */
async function recorded(ports: Platform): Promise<DeploymentId> {
  const stack = freshStack()
  await ports.catalog.createStack(stack, epochMs(1))
  const about = { command: 'up', message: '', holder, at: epochMs(2) } as const
  const { deployment } = await ports.catalog.start(stack, about)
  await ports.catalog.publish(stack, 0, blobHash('a'))
  const record = { writer: writerToken('w'), at: epochMs(3), decisions: [] }
  await ports.decisionLog.append(deployment, { number: logNumber(0), ...record })
  await ports.control.create(deployment, holder)
  await ports.leases.register(deployment, executor, holder)
  await ports.events.append(deployment, 'w', 0, ['{}'])
  const claim = { owner: ownerToken('o'), executor, attempt: 0, needs: 0 }
  await ports.operations.begin(deployment, one, claim)
  const times = { startedAt: epochMs(4), endedAt: epochMs(5) }
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

/** Records of a newer version, and damaged ones: refused by name, and never written over. */
export function recordFormsContract(name: string, open: () => Promise<Tampered>): void {
  describe(`forms of records: ${name}`, () => {
    let opened: Tampered
    beforeAll(async () => {
      opened = await open()
    })
    afterAll(() => opened.close())

    test('a stack whose record cannot be read is listed apart and hides no other', async () => {
      const { ports, tampering } = opened
      const [good, damaged, newer] = [
        await recorded(ports),
        await recorded(ports),
        await recorded(ports),
      ]
      tampering.damage('stack', damaged)
      tampering.renew('stack', newer)
      const { stacks } = await ports.catalog.listStacks()
      expect(stacks.map(({ id }) => id)).toContain(stackOf(good))
      expect(await listed(ports, stackOf(damaged))).toMatchObject({ code: 'RECORD_DAMAGED' })
      expect(await listed(ports, stackOf(newer))).toMatchObject({ code: 'RECORD_TOO_NEW' })
    })

    test('a log that lacks a record is refused with the key of that, whoever reads it', async () => {
      const { ports, tampering } = opened
      const deployment = await recorded(ports)
      const record = { writer: writerToken('w'), at: epochMs(3), decisions: [] }
      for (const number of [1, 2, 3])
        await ports.decisionLog.append(deployment, { number: logNumber(number), ...record })
      tampering.lose(deployment, 2)
      for (const from of [0, 1, 2]) {
        const thrown = await ports.decisionLog
          .read(deployment, logNumber(from), 10)
          .catch((why: unknown) => why)
        expect(thrown).toMatchObject({ code: 'RECORD_DAMAGED' })
        expect(String(thrown)).toContain(`(deployment ${deployment}, number 2) is missing`)
      }
      expect(await ports.decisionLog.read(deployment, logNumber(0), 2)).toHaveLength(2)
      expect(await ports.decisionLog.read(deployment, logNumber(3), 10)).toHaveLength(1)
    })

    test.each(cases)('a $said of a newer version is refused by name and version', async each => {
      const { ports, tampering } = opened
      const deployment = await recorded(ports)
      await each.reads(ports, deployment)
      tampering.renew(each.kind, deployment)
      const before = tampering.raw(each.kind, deployment)
      const thrown = await each.reads(ports, deployment).catch((why: unknown) => why)
      expect(thrown).toMatchObject({ code: 'RECORD_TOO_NEW' })
      expect(String(thrown)).toContain(each.said)
      expect(String(thrown)).toContain('it has format 2, this version knows 1')
      for (const write of each.writes(ports, deployment)) await refusedOrIdle(write())
      expect(tampering.raw(each.kind, deployment)).toEqual(before)
    })

    test.each(cases)('a $said that is damaged is named by its key', async each => {
      const { ports, tampering } = opened
      const deployment = await recorded(ports)
      if (!tampering.damage(each.kind, deployment)) return
      const before = tampering.raw(each.kind, deployment)
      const thrown = await each.reads(ports, deployment).catch((why: unknown) => why)
      expect(thrown).toMatchObject({ code: 'RECORD_DAMAGED' })
      expect(String(thrown)).toContain(`the ${each.said} (`)
      expect(String(thrown)).toContain(stackOf(deployment))
      for (const write of each.writes(ports, deployment)) await refusedOrIdle(write())
      expect(tampering.raw(each.kind, deployment)).toEqual(before)
    })
  })
}

/** How stacks are listed when the record of one cannot be read. */
async function listed({ catalog }: Platform, stack: StackId): Promise<unknown> {
  const { stacks, unreadable } = await catalog.listStacks()
  expect(stacks.map(({ id }) => id)).not.toContain(stack)
  return unreadable.find(({ id }) => id === stack)?.why
}

/** A write that is refused for another reason before it comes to the record is as good. */
async function refusedOrIdle(write: Promise<unknown>): Promise<void> {
  const thrown = await write.catch((why: unknown) => why)
  if (thrown instanceof Error)
    expect(['RECORD_TOO_NEW', 'RECORD_DAMAGED']).toContain((thrown as { code?: string }).code)
}
