import { describe, expect, test } from 'vitest'
import type { DecisionLogPort } from '../../shared/ports/records.ts'
import type { LogRecord } from '../../shared/records/log.ts'
import {
  type OpenAdapter,
  toEpochMs,
  createDeploymentId,
  toLogNumber,
  toWriterToken,
  withAdapter,
} from './open-adapter.ts'

/**
 * The two answers to a successful append. The answer is `already-appended` if an earlier attempt of
 * the adapter succeeded and only its reply was lost.
 */
const appendedAnswers: readonly string[] = ['appended', 'already-appended']

function createRecord(number: number, writer: string, message = ''): LogRecord {
  const holder = { host: 'here', pid: 1, started: '1', who: message }
  return {
    number: toLogNumber(number),
    writer: toWriterToken(writer),
    at: toEpochMs(1000 + number),
    decisions: [{ kind: 'takeover', holder }],
  }
}

/** Tests the decision log: put-if-absent at the next number. */
export function defineDecisionLogContract(
  name: string,
  open: OpenAdapter<{ readonly decisionLog: DecisionLogPort }>,
): void {
  describe(`decision log: ${name}`, () => {
    let decisionLog: DecisionLogPort
    withAdapter(open, adapter => {
      decisionLog = adapter.decisionLog
    })

    test('records are read as they were appended, in order, from a number on', async () => {
      const deployment = createDeploymentId()
      const records = [0, 1, 2, 3].map(number => createRecord(number, 'a'))
      for (const record of records)
        expect(appendedAnswers).toContain(await decisionLog.append(deployment, record))
      expect(await decisionLog.read(deployment, toLogNumber(0), 10)).toEqual(records)
      expect(await decisionLog.read(deployment, toLogNumber(1), 2)).toEqual(records.slice(1, 3))
      expect(await decisionLog.read(deployment, toLogNumber(4), 10)).toEqual([])
    })

    test('a record of five megabytes is read as it was appended, and recognised when it is repeated', async () => {
      const deployment = createDeploymentId()
      const records = [
        createRecord(0, 'a'),
        createRecord(1, 'a', 'x'.repeat(5_000_000)),
        createRecord(2, 'a'),
      ]
      for (const record of records)
        expect(appendedAnswers).toContain(await decisionLog.append(deployment, record))
      expect(await decisionLog.read(deployment, toLogNumber(0), 10)).toEqual(records)
      const [, large] = records
      if (large === undefined) throw new Error('three records are expected')
      expect(await decisionLog.append(deployment, large)).toBe('already-appended')
      const other = createRecord(1, 'b', 'x'.repeat(5_000_000))
      expect(await decisionLog.append(deployment, other)).toBe('refused')
    })

    test('a log without records is empty', async () => {
      expect(await decisionLog.read(createDeploymentId(), toLogNumber(0), 10)).toEqual([])
    })

    test('a repeated append is recognised, also after later appends', async () => {
      const deployment = createDeploymentId()
      await decisionLog.append(deployment, createRecord(0, 'a'))
      expect(await decisionLog.append(deployment, createRecord(0, 'a'))).toBe('already-appended')
      await decisionLog.append(deployment, createRecord(1, 'a'))
      expect(await decisionLog.append(deployment, createRecord(0, 'a'))).toBe('already-appended')
    })

    test('the order of fields does not distinguish records', async () => {
      const deployment = createDeploymentId()
      const { number, writer, at, decisions } = createRecord(0, 'a')
      await decisionLog.append(deployment, { number, writer, at, decisions })
      expect(await decisionLog.append(deployment, { decisions, at, writer, number })).toBe(
        'already-appended',
      )
    })

    test('an existing number is never overwritten', async () => {
      const deployment = createDeploymentId()
      await decisionLog.append(deployment, createRecord(0, 'a'))
      expect(await decisionLog.append(deployment, createRecord(0, 'b'))).toBe('refused')
      expect(await decisionLog.append(deployment, createRecord(0, 'a', 'something else'))).toBe(
        'refused',
      )
      expect(await decisionLog.read(deployment, toLogNumber(0), 10)).toEqual([createRecord(0, 'a')])
    })

    test('no record is appended after a gap', async () => {
      const deployment = createDeploymentId()
      expect(await decisionLog.append(deployment, createRecord(1, 'a'))).toBe('refused')
      await decisionLog.append(deployment, createRecord(0, 'a'))
      expect(await decisionLog.append(deployment, createRecord(2, 'a'))).toBe('refused')
      expect(await decisionLog.read(deployment, toLogNumber(0), 10)).toHaveLength(1)
    })

    test('a deposed generator cannot append any more', async () => {
      const deployment = createDeploymentId()
      await decisionLog.append(deployment, createRecord(0, 'old'))
      expect(appendedAnswers).toContain(
        await decisionLog.append(deployment, createRecord(1, 'new')),
      )
      expect(await decisionLog.append(deployment, createRecord(1, 'old'))).toBe('refused')
      await decisionLog.append(deployment, createRecord(2, 'new'))
      expect(await decisionLog.append(deployment, createRecord(2, 'old'))).toBe('refused')
    })

    test('of many concurrent takeovers one succeeds', async () => {
      const deployment = createDeploymentId()
      const writers = Array.from({ length: 20 }, (_, index) => `w${index}`)
      const answers = await Promise.all(
        writers.map(writer => decisionLog.append(deployment, createRecord(0, writer))),
      )
      expect(answers.filter(answer => appendedAnswers.includes(answer))).toHaveLength(1)
      expect(answers.filter(answer => answer === 'refused')).toHaveLength(19)
      const [winner] = await decisionLog.read(deployment, toLogNumber(0), 10)
      expect(winner?.writer).toBe(
        writers[answers.findIndex(answer => appendedAnswers.includes(answer))],
      )
    })

    test('large records are read complete, however many are requested', async () => {
      const deployment = createDeploymentId()
      const large = 'x'.repeat(300_000)
      const records = Array.from({ length: 20 }, (_, number) => createRecord(number, 'a', large))
      for (const record of records) await decisionLog.append(deployment, record)
      const readRecords = await decisionLog.read(deployment, toLogNumber(0), 1000)
      expect(readRecords.map(record => record.number)).toEqual(records.map(record => record.number))
      expect(readRecords[19]).toEqual(records[19])
    })
  })
}
