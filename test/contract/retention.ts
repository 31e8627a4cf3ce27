import { describe, expect, test } from 'vitest'
import { limits } from '../../shared/config/limits.ts'
import type { Platform } from '../../shared/ports/platform.ts'
import type { BlobHash, DeploymentId, StackId } from '../../shared/records/ids.ts'
import type { Decision } from '../../shared/records/log.ts'
import type { DeploymentRequest } from '../../shared/records/request.ts'
import {
  type Open,
  blobHash,
  epochMs,
  executorId,
  freshStack,
  holder,
  logNumber,
  operationId,
  ownerToken,
  writerToken,
  whileOpen,
} from './opened.ts'

const about = { command: 'up', message: '', holder, at: epochMs(100) } as const
const end = { at: epochMs(200), result: 'succeeded', changes: {}, version: 1 } as const
const executor = executorId('e')

const options = {
  command: 'up',
  parallel: 8,
  refresh: false,
  continueOnError: false,
  execute: 'functions',
  message: '',
} as const

const archiveOf = (at: number): BlobHash => at.toString(16).padStart(64, 'e') as BlobHash

function requestOf(stack: StackId, key: string, archive: BlobHash): DeploymentRequest {
  const program = { kind: 'archive', archive } as const
  return { stack, key, at: epochMs(1), by: 'a test', dryRun: false, options, program }
}

function pinOf(archive: BlobHash): Extract<Decision, { kind: 'pin' }> {
  return {
    kind: 'pin',
    ...{ epoch: 0, version: 0, base: '', rules: 1, options, program: 'p', inbox: [] },
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

/** Removal of records, versions, and the mark. */
export function retentionContract(name: string, open: Open<Ports>): void {
  describe(`retention: ${name}`, () => {
    let ports: Ports
    whileOpen(open, given => {
      ports = given
    })

    const ran = async (): Promise<{ stack: StackId; deployment: DeploymentId }> => {
      const stack = freshStack()
      await ports.catalog.createStack(stack, epochMs(1))
      const { deployment } = await ports.catalog.start(stack, about)
      await ports.control.create(deployment, holder)
      await ports.leases.register(deployment, executor, holder)
      for (const number of [0, 1, 2])
        await ports.decisionLog.append(deployment, {
          number: logNumber(number),
          writer: writerToken('w'),
          at: epochMs(1),
          decisions: [{ kind: 'plan', what: 'deletes', pages: [blobHash('c')], operations: 1 }],
        })
      const claim = { owner: ownerToken('o'), executor, attempt: 0, needs: 0 }
      for (const id of [1, 2].map(operationId)) {
        await ports.operations.begin(deployment, id, claim)
        await ports.operations.putOutcome(deployment, {
          operation: id,
          attempt: 1,
          verdict: 'succeeded',
          stateBlob: blobHash('d'),
          startedAt: epochMs(1),
          endedAt: epochMs(2),
        })
      }
      await ports.events.append(deployment, 'w', 0, ['{}', '{}'])
      return { stack, deployment }
    }
    const finish = async (deployment: DeploymentId): Promise<void> => {
      await ports.control.close(deployment)
      await ports.catalog.release(deployment, end)
    }
    const references = async (): Promise<ReadonlySet<string>> => {
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
    const found = async (deployment: DeploymentId) =>
      (await ports.retention.listDeployments()).find(kept => kept.deployment === deployment)

    test('a deployment is told with what its removal is decided by', async () => {
      const { deployment } = await ran()
      const open = { deployment, closed: false, isCurrent: true, isInHistory: true }
      expect(await found(deployment)).toEqual(open)
      await finish(deployment)
      const over = { ...open, closed: true, isCurrent: false, endedAt: 200 }
      expect(await found(deployment)).toEqual(over)
    })

    test('nothing of a deployment that is open or current is removed', async () => {
      const { deployment } = await ran()
      expect(await ports.retention.removeRecords(deployment, 100)).toBe(true)
      await ports.control.close(deployment)
      expect(await ports.retention.removeRecords(deployment, 100)).toBe(true)
      expect(await ports.decisionLog.read(deployment, logNumber(0), 9)).toHaveLength(3)
    })

    test('records go a few at a time, the first of the log first, the control record last', async () => {
      const { deployment } = await ran()
      await finish(deployment)
      expect(await ports.retention.removeRecords(deployment, 1)).toBe(false)
      await expect(ports.decisionLog.read(deployment, logNumber(0), 1)).rejects.toMatchObject({
        code: 'RECORDS_REMOVED',
      })
      let calls = 1
      while (!(await ports.retention.removeRecords(deployment, 1))) {
        calls += 1
        if (calls > 50) throw new Error('it never ends')
        if ((await found(deployment)) === undefined) continue
        expect((await ports.control.read(deployment))?.closed).not.toBe(false)
      }
      expect(await found(deployment)).toBeUndefined()
      expect(await ports.decisionLog.read(deployment, logNumber(0), 9)).toEqual([])
      expect(await ports.operations.getEnds(deployment, [1, 2].map(operationId))).toEqual(new Map())
      expect(await ports.operations.getOutcome(deployment, operationId(1), 1)).toBeUndefined()
      expect(await ports.control.read(deployment)).toBeUndefined()
      expect(await ports.leases.list(deployment)).toEqual([])
      expect((await ports.events.read(deployment, 0, 9)).events).toEqual([])
      expect(await ports.retention.removeRecords(deployment, 100)).toBe(true)
    })

    test('the records of others stay', async () => {
      const [one, other] = [await ran(), await ran()]
      await finish(one.deployment)
      await finish(other.deployment)
      while (!(await ports.retention.removeRecords(one.deployment, 100)));
      expect(await ports.decisionLog.read(other.deployment, logNumber(0), 9)).toHaveLength(3)
      expect(await ports.leases.list(other.deployment)).toHaveLength(1)
      expect((await ports.catalog.listHistory(one.stack, 9))[0]?.result).toBe('succeeded')
    })

    test('a stack that was removed left records without history', async () => {
      const { stack, deployment } = await ran()
      await finish(deployment)
      await ports.catalog.removeStack(stack)
      expect(await found(deployment)).toEqual({
        deployment,
        closed: true,
        isCurrent: false,
        isInHistory: false,
      })
    })

    test('old versions go, the current one never', async () => {
      const stack = freshStack()
      await ports.catalog.createStack(stack, epochMs(1))
      for (const [at, digit] of ['a', 'b', 'e'].entries())
        await ports.catalog.publish(stack, at, blobHash(digit))
      await ports.retention.removeVersions(stack, 1)
      expect((await ports.catalog.listVersions(stack, 9)).map(one => one.version)).toEqual([3, 2])
      await ports.retention.removeVersions(stack, 99)
      expect((await ports.catalog.listVersions(stack, 9)).map(one => one.version)).toEqual([3])
    })

    test('every blob that a record or version names is a reference', async () => {
      const { stack } = await ran()
      await ports.catalog.publish(stack, 0, blobHash('f'))
      const hashes = await references()
      for (const digit of ['c', 'd', 'f']) expect(hashes).toContain(blobHash(digit))
      expect(hashes).not.toContain(blobHash('9'))
    })

    test('more versions than one page has are all named, and all removed', async () => {
      const stack = freshStack()
      await ports.catalog.createStack(stack, epochMs(1))
      const blobs = Array.from({ length: 130 }, (_, at) => archiveOf(1_000 + at))
      for (const [at, blob] of blobs.entries()) await ports.catalog.publish(stack, at, blob)
      const hashes = await references()
      expect(blobs.filter(blob => !hashes.has(blob))).toEqual([])
      await ports.retention.removeVersions(stack, 129)
      expect(await ports.catalog.listVersions(stack, 999)).toHaveLength(1)
    })

    test('so is every program: of a request, of a pin, and the one uploaded last', async () => {
      const [stack, other, third] = [freshStack(), freshStack(), freshStack()]
      await ports.requests.putProgram(stack, blobHash('9'))
      await ports.requests.putProgram(stack, blobHash('1'))
      for (const [key, digit] of [
        ['waits', '2'],
        ['ended', '3'],
      ] as const)
        await ports.requests.put(requestOf(other, key, blobHash(digit)))
      await ports.requests.end(other, 'ended', { kind: 'superseded', by: 'waits' })
      await ports.catalog.createStack(third, epochMs(1))
      const { deployment } = await ports.catalog.start(third, about)
      await ports.decisionLog.append(deployment, {
        number: logNumber(0),
        writer: writerToken('w'),
        at: epochMs(1),
        decisions: [pinOf(blobHash('4'))],
      })
      // Larger than an item may be: the decisions are in a blob then.
      await ports.decisionLog.append(deployment, {
        number: logNumber(1),
        writer: writerToken('w'),
        at: epochMs(1),
        decisions: [{ ...pinOf(blobHash('5')), program: 'x'.repeat(limits.recordBytesMax) }],
      })
      const hashes = await references()
      for (const digit of ['1', '2', '3', '4', '5']) expect(hashes).toContain(blobHash(digit))
      expect(hashes).not.toContain(blobHash('9'))
    })

    test('more requests than one page has are all looked through', async () => {
      const stack = freshStack()
      const archives = Array.from({ length: 130 }, (_, at) => archiveOf(at))
      // One after another: of many at once one may meet more faults in a row than are tried again.
      for (const [at, archive] of archives.entries())
        await ports.requests.put(requestOf(stack, `k${at}`, archive))
      const hashes = await references()
      expect(archives.filter(archive => !hashes.has(archive))).toEqual([])
    })
  })
}
