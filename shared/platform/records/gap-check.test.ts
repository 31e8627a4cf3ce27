import { describe, expect, test } from 'vitest'
import type { DeploymentId, LogNumber } from '../../records/ids.ts'
import type { LogRecord } from '../../records/log.ts'
import { withGapCheck } from './gap-check.ts'

const deployment = 'organization/p/s#1' as DeploymentId

function createRecord(number: number): LogRecord {
  return { number, writer: 'w', at: 1, decisions: [] } as unknown as LogRecord
}

/**
 * Creates a log with these record numbers. `closed` is that of its control record. If `closed` is
 * undefined, no control record exists. `reads` lists the number at which each read begins.
 */
function openLog(numbers: readonly number[], closed: boolean | undefined) {
  const reads: number[] = []
  const stored = new Set(numbers)
  const log = withGapCheck(
    {
      append: async () => 'appended',
      read: async (_deployment, from, limit) => {
        reads.push(from)
        return [...stored]
          .filter(number => number >= from)
          .slice(0, limit)
          .map(createRecord)
      },
    },
    { read: async () => (closed === undefined ? undefined : { closed }) } as never,
  )
  const read = async (from = 0, limit = 10): Promise<readonly number[]> =>
    (await log.read(deployment, from as LogNumber, limit)).map(({ number }) => number)
  return { read, reads }
}

describe('a log that is checked for gaps', () => {
  test('needs one read when no record is missing', async () => {
    const { read, reads } = openLog([0, 1, 2], false)
    expect(await read()).toEqual([0, 1, 2])
    expect(await read(1, 1)).toEqual([1])
    expect(await read(3)).toEqual([])
    expect(reads).toEqual([0, 1, 3])
  })

  test.each([
    ['in the middle', [0, 1, 3], 0, 2],
    ['where the reading begins', [0, 1, 3], 2, 2],
    ['at the beginning', [1, 2, 3], 0, 0],
  ])(
    'in an open deployment, a gap %s is reported as damage, with the key of the missing record',
    async (_where, numbers, from, at) => {
      const { read } = openLog(numbers, false)
      await expect(read(from)).rejects.toMatchObject({
        code: 'RECORD_DAMAGED',
        message: expect.stringContaining(`(deployment ${deployment}, number ${at}) is missing`),
        details: { kind: 'log', deployment, number: at },
      })
    },
  )

  test('a gap after the first record is damage even after the close', async () => {
    await expect(openLog([0, 1, 3], true).read()).rejects.toMatchObject({ code: 'RECORD_DAMAGED' })
  })

  test.each([
    ['of a closed deployment', true],
    ['without a control record', undefined],
  ])(
    'a missing first record %s means that retention has begun to remove the log',
    async (_what, closed) => {
      await expect(openLog([2, 3], closed).read()).rejects.toMatchObject({
        code: 'RECORDS_REMOVED',
      })
    },
  )

  test('a record that was written during the read is found by a second read', async () => {
    const stored = [createRecord(0), createRecord(2)]
    let readCount = 0
    const log = withGapCheck(
      {
        append: async () => 'appended',
        read: async (_deployment, from, limit) => {
          readCount += 1
          const storedRecords = readCount === 1 ? stored : [0, 1, 2].map(createRecord)
          return storedRecords.filter(({ number }) => number >= from).slice(0, limit)
        },
      },
      { read: async () => ({ closed: false }) } as never,
    )
    const read = await log.read(deployment, 0 as LogNumber, 10)
    expect(read.map(({ number }) => number)).toEqual([0, 1, 2])
  })
})
