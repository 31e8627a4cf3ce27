import { describe, expect, test } from 'vitest'
import { limits } from '../../shared/config/limits.ts'
import type { Platform } from '../../shared/ports/platform.ts'
import type { BlobHash, DeploymentId, StackId } from '../../shared/records/ids.ts'
import type { Decision } from '../../shared/records/log.ts'
import type { DeploymentRequest } from '../../shared/records/stack-request.ts'
import {
  type OpenAdapter,
  toBlobHash,
  toEpochMs,
  toExecutorId,
  createStackId,
  contractHolder,
  toLogNumber,
  toOperationId,
  toOwnerToken,
  toWriterToken,
  withAdapter,
} from './open-adapter.ts'

const startInput = {
  command: 'up',
  message: '',
  at: toEpochMs(100),
} as const
const end = { at: toEpochMs(200), result: 'succeeded', changes: {}, version: 1 } as const
const executor = toExecutorId('e')

const options = {
  command: 'up',
  parallel: 8,
  refresh: false,
  continueOnError: false,
  execute: 'functions',
  message: '',
} as const

const numberedHashOf = (index: number): BlobHash => index.toString(16).padStart(64, 'e') as BlobHash

function requestOf(stack: StackId, key: string, archive: BlobHash): DeploymentRequest {
  const program = { kind: 'archive', archive } as const
  return { stack, key, at: toEpochMs(1), by: 'a test', dryRun: false, options, program }
}

function pinOf(archive: BlobHash): Extract<Decision, { kind: 'pin' }> {
  return {
    kind: 'pin',
    epoch: 0,
    version: 0,
    base: '',
    rules: 1,
    options,
    program: 'p',
    inbox: [],
    place: { root: '', archive },
    secrets: { type: 'passphrase', state: {} },
  }
}

type Ports = Pick<
  Platform,
  | 'decisionLog'
  | 'operations'
  | 'control'
  | 'leases'
  | 'events'
  | 'catalog'
  | 'requests'
  | 'retention'
>

/** Tests the removal of records and versions, and the references to blobs. */
export function defineRetentionContract(name: string, open: OpenAdapter<Ports>): void {
  describe(`retention: ${name}`, () => {
    let ports: Ports
    withAdapter(open, adapter => {
      ports = adapter
    })

    const createDeployment = async (): Promise<{ stack: StackId; deployment: DeploymentId }> => {
      const stack = createStackId()
      await ports.catalog.createStack(stack, toEpochMs(1))
      const { deployment } = await ports.catalog.start(stack, startInput)
      await ports.control.create(deployment, contractHolder)
      await ports.leases.register(deployment, executor, contractHolder)
      for (const number of [0, 1, 2])
        await ports.decisionLog.append(deployment, {
          number: toLogNumber(number),
          writer: toWriterToken('w'),
          at: toEpochMs(1),
          decisions: [{ kind: 'plan', what: 'deletes', pages: [toBlobHash('c')], operations: 1 }],
        })
      const beginRequest = { owner: toOwnerToken('o'), executor, expectedAttempt: 0, needs: 0 }
      for (const id of [1, 2].map(toOperationId)) {
        await ports.operations.begin(deployment, id, beginRequest)
        await ports.operations.putOutcome(deployment, {
          operation: id,
          attempt: 1,
          verdict: 'succeeded',
          stateBlob: toBlobHash('d'),
          startedAt: toEpochMs(1),
          endedAt: toEpochMs(2),
        })
      }
      await ports.events.append(deployment, 'w', 0, ['{}', '{}'])
      return { stack, deployment }
    }
    const finish = async (deployment: DeploymentId): Promise<void> => {
      await ports.control.close(deployment)
      await ports.catalog.release(deployment, end)
    }
    const listAllReferences = async (): Promise<ReadonlySet<string>> => {
      const hashes = new Set<string>()
      let cursor: string | undefined = ''
      while (cursor !== undefined) {
        const page: Awaited<ReturnType<Ports['retention']['listReferences']>> =
          await ports.retention.listReferences(cursor)
        for (const hash of page.hashes) hashes.add(hash)
        cursor = page.next
      }
      return hashes
    }
    const findListedDeployment = async (deployment: DeploymentId) =>
      (await ports.retention.listDeployments()).find(listed => listed.deployment === deployment)

    test('a deployment is listed with the facts that decide its removal', async () => {
      const { deployment } = await createDeployment()
      const open = { deployment, closed: false, isOpen: true, isInHistory: true }
      expect(await findListedDeployment(deployment)).toEqual(open)
      await finish(deployment)
      const closedFacts = { ...open, closed: true, isOpen: false, endedAt: 200 }
      expect(await findListedDeployment(deployment)).toEqual(closedFacts)
    })

    test('nothing of an open or current deployment is removed', async () => {
      const { deployment } = await createDeployment()
      expect(await ports.retention.removeRecords(deployment, 100)).toBe(true)
      await ports.control.close(deployment)
      expect(await ports.retention.removeRecords(deployment, 100)).toBe(true)
      expect(await ports.decisionLog.read(deployment, toLogNumber(0), 9)).toHaveLength(3)
    })

    test('records are removed in small steps, the first log record first, the control record last', async () => {
      const { deployment } = await createDeployment()
      await finish(deployment)
      expect(await ports.retention.removeRecords(deployment, 1)).toBe(false)
      await expect(ports.decisionLog.read(deployment, toLogNumber(0), 1)).rejects.toMatchObject({
        code: 'RECORDS_REMOVED',
      })
      let calls = 1
      while (!(await ports.retention.removeRecords(deployment, 1))) {
        calls += 1
        if (calls > 50) throw new Error('the removal does not end')
        if ((await findListedDeployment(deployment)) === undefined) continue
        expect((await ports.control.read(deployment))?.closed).not.toBe(false)
      }
      expect(await findListedDeployment(deployment)).toBeUndefined()
      expect(await ports.decisionLog.read(deployment, toLogNumber(0), 9)).toEqual([])
      expect(await ports.operations.getEnds(deployment, [1, 2].map(toOperationId))).toEqual(
        new Map(),
      )
      expect(await ports.operations.getOutcome(deployment, toOperationId(1), 1)).toBeUndefined()
      expect(await ports.control.read(deployment)).toBeUndefined()
      expect(await ports.leases.list(deployment)).toEqual([])
      expect((await ports.events.read(deployment, 0, 9)).events).toEqual([])
      expect(await ports.retention.removeRecords(deployment, 100)).toBe(true)
    })

    test('records of other deployments are kept', async () => {
      const [removed, other] = [await createDeployment(), await createDeployment()]
      await finish(removed.deployment)
      await finish(other.deployment)
      while (!(await ports.retention.removeRecords(removed.deployment, 100)));
      expect(await ports.decisionLog.read(other.deployment, toLogNumber(0), 9)).toHaveLength(3)
      expect(await ports.leases.list(other.deployment)).toHaveLength(1)
      expect((await ports.catalog.listHistory(removed.stack, 9))[0]?.result).toBe('succeeded')
    })

    test('a deployment of a removed stack is still listed, and is not in the history', async () => {
      const { stack, deployment } = await createDeployment()
      await finish(deployment)
      await ports.catalog.removeStack(stack)
      expect(await findListedDeployment(deployment)).toEqual({
        deployment,
        closed: true,
        isOpen: false,
        isInHistory: false,
      })
    })

    test('old versions are removed, and the current one never', async () => {
      const stack = createStackId()
      await ports.catalog.createStack(stack, toEpochMs(1))
      for (const [index, digit] of ['a', 'b', 'e'].entries())
        await ports.catalog.publish(stack, index, toBlobHash(digit))
      await ports.retention.removeVersions(stack, 1)
      expect((await ports.catalog.listVersions(stack, 9)).map(({ version }) => version)).toEqual([
        3, 2,
      ])
      await ports.retention.removeVersions(stack, 99)
      expect((await ports.catalog.listVersions(stack, 9)).map(({ version }) => version)).toEqual([
        3,
      ])
    })

    test('every blob that a record or version names is a reference', async () => {
      const { stack } = await createDeployment()
      await ports.catalog.publish(stack, 0, toBlobHash('f'))
      const hashes = await listAllReferences()
      for (const digit of ['c', 'd', 'f']) expect(hashes).toContain(toBlobHash(digit))
      expect(hashes).not.toContain(toBlobHash('9'))
    })

    test('versions on several pages are all references, and all old ones are removed', async () => {
      const stack = createStackId()
      await ports.catalog.createStack(stack, toEpochMs(1))
      const blobs = Array.from({ length: 130 }, (_, index) => numberedHashOf(1_000 + index))
      for (const [index, blob] of blobs.entries()) await ports.catalog.publish(stack, index, blob)
      const hashes = await listAllReferences()
      expect(blobs.filter(blob => !hashes.has(blob))).toEqual([])
      await ports.retention.removeVersions(stack, 129)
      expect(await ports.catalog.listVersions(stack, 999)).toHaveLength(1)
    })

    test('every program is a reference: of a request, of a pin, and the last upload', async () => {
      const [stack, other, third] = [createStackId(), createStackId(), createStackId()]
      await ports.requests.putProgram(stack, toBlobHash('9'))
      await ports.requests.putProgram(stack, toBlobHash('1'))
      for (const [key, digit] of [
        ['waits', '2'],
        ['ended', '3'],
      ] as const)
        await ports.requests.put(requestOf(other, key, toBlobHash(digit)))
      await ports.requests.end(other, 'ended', { kind: 'superseded', by: 'waits' })
      await ports.catalog.createStack(third, toEpochMs(1))
      const { deployment } = await ports.catalog.start(third, startInput)
      await ports.decisionLog.append(deployment, {
        number: toLogNumber(0),
        writer: toWriterToken('w'),
        at: toEpochMs(1),
        decisions: [pinOf(toBlobHash('4'))],
      })
      // The record is larger than `recordBytesMax`, so its decisions are in a blob.
      await ports.decisionLog.append(deployment, {
        number: toLogNumber(1),
        writer: toWriterToken('w'),
        at: toEpochMs(1),
        decisions: [{ ...pinOf(toBlobHash('5')), program: 'x'.repeat(limits.recordBytesMax) }],
      })
      const hashes = await listAllReferences()
      for (const digit of ['1', '2', '3', '4', '5']) expect(hashes).toContain(toBlobHash(digit))
      expect(hashes).not.toContain(toBlobHash('9'))
    })

    test('the programs of requests on several pages are all references', async () => {
      const stack = createStackId()
      const archives = Array.from({ length: 130 }, (_, index) => numberedHashOf(index))
      // The puts run one after another. A concurrent put could meet more faults in a row than are
      // retried.
      for (const [index, archive] of archives.entries())
        await ports.requests.put(requestOf(stack, `k${index}`, archive))
      const hashes = await listAllReferences()
      expect(archives.filter(archive => !hashes.has(archive))).toEqual([])
    })
  })
}
