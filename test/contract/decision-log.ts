import { describe, expect, test } from 'vitest'
import type { DecisionLogPort } from '../../shared/ports/records.ts'
import type { LogRecord } from '../../shared/records/log.ts'
import { type Open, epochMs, freshDeployment, logNumber, writerToken, whileOpen } from './opened.ts'

/** Answers of an append that stands: which one depends on whether a reply was lost on the way. */
const written: readonly string[] = ['appended', 'mine']

function record(number: number, writer: string, message = ''): LogRecord {
  const who = { host: 'here', pid: 1, started: '1', who: message }
  return {
    number: logNumber(number),
    writer: writerToken(writer),
    at: epochMs(1000 + number),
    decisions: [{ kind: 'takeover', holder: who }],
  }
}

/** The decision log: put-if-absent at the next number. */
export function decisionLogContract(
  name: string,
  open: Open<{ readonly decisionLog: DecisionLogPort }>,
): void {
  describe(`decision log: ${name}`, () => {
    let decisionLog: DecisionLogPort
    whileOpen(open, given => {
      decisionLog = given.decisionLog
    })

    test('records are read as they were appended, in order, from a number on', async () => {
      const deployment = freshDeployment()
      const records = [0, 1, 2, 3].map(number => record(number, 'a'))
      for (const one of records)
        expect(written).toContain(await decisionLog.append(deployment, one))
      expect(await decisionLog.read(deployment, logNumber(0), 10)).toEqual(records)
      expect(await decisionLog.read(deployment, logNumber(1), 2)).toEqual(records.slice(1, 3))
      expect(await decisionLog.read(deployment, logNumber(4), 10)).toEqual([])
    })

    test('a record of five megabytes is read as it was appended, and known when it is repeated', async () => {
      const deployment = freshDeployment()
      const records = [record(0, 'a'), record(1, 'a', 'x'.repeat(5_000_000)), record(2, 'a')]
      for (const one of records)
        expect(written).toContain(await decisionLog.append(deployment, one))
      expect(await decisionLog.read(deployment, logNumber(0), 10)).toEqual(records)
      const [, large] = records
      if (large === undefined) throw new Error('there are three')
      expect(await decisionLog.append(deployment, large)).toBe('mine')
      const other = record(1, 'b', 'x'.repeat(5_000_000))
      expect(await decisionLog.append(deployment, other)).toBe('taken')
    })

    test('a log that nobody wrote is empty', async () => {
      expect(await decisionLog.read(freshDeployment(), logNumber(0), 10)).toEqual([])
    })

    test('a repeated append recognises itself, also after later ones', async () => {
      const deployment = freshDeployment()
      await decisionLog.append(deployment, record(0, 'a'))
      expect(await decisionLog.append(deployment, record(0, 'a'))).toBe('mine')
      await decisionLog.append(deployment, record(1, 'a'))
      expect(await decisionLog.append(deployment, record(0, 'a'))).toBe('mine')
    })

    test('the order of fields does not make another record', async () => {
      const deployment = freshDeployment()
      const { number, writer, at, decisions } = record(0, 'a')
      await decisionLog.append(deployment, { number, writer, at, decisions })
      expect(await decisionLog.append(deployment, { decisions, at, writer, number })).toBe('mine')
    })

    test('a number that is taken is never overwritten', async () => {
      const deployment = freshDeployment()
      await decisionLog.append(deployment, record(0, 'a'))
      expect(await decisionLog.append(deployment, record(0, 'b'))).toBe('taken')
      expect(await decisionLog.append(deployment, record(0, 'a', 'something else'))).toBe('taken')
      expect(await decisionLog.read(deployment, logNumber(0), 10)).toEqual([record(0, 'a')])
    })

    test('nothing is appended behind a gap', async () => {
      const deployment = freshDeployment()
      expect(await decisionLog.append(deployment, record(1, 'a'))).toBe('taken')
      await decisionLog.append(deployment, record(0, 'a'))
      expect(await decisionLog.append(deployment, record(2, 'a'))).toBe('taken')
      expect(await decisionLog.read(deployment, logNumber(0), 10)).toHaveLength(1)
    })

    test('a deposed generator cannot append any more', async () => {
      const deployment = freshDeployment()
      await decisionLog.append(deployment, record(0, 'old'))
      expect(written).toContain(await decisionLog.append(deployment, record(1, 'new')))
      expect(await decisionLog.append(deployment, record(1, 'old'))).toBe('taken')
      await decisionLog.append(deployment, record(2, 'new'))
      expect(await decisionLog.append(deployment, record(2, 'old'))).toBe('taken')
    })

    test('of many generators that take over at once, one does', async () => {
      const deployment = freshDeployment()
      const writers = Array.from({ length: 20 }, (_, index) => `w${index}`)
      const answers = await Promise.all(
        writers.map(writer => decisionLog.append(deployment, record(0, writer))),
      )
      expect(answers.filter(answer => written.includes(answer))).toHaveLength(1)
      expect(answers.filter(answer => answer === 'taken')).toHaveLength(19)
      const [winner] = await decisionLog.read(deployment, logNumber(0), 10)
      expect(winner?.writer).toBe(writers[answers.findIndex(answer => written.includes(answer))])
    })

    test('large records are read whole, however many are asked for', async () => {
      const deployment = freshDeployment()
      const large = 'x'.repeat(300_000)
      const records = Array.from({ length: 20 }, (_, number) => record(number, 'a', large))
      for (const one of records) await decisionLog.append(deployment, one)
      const read = await decisionLog.read(deployment, logNumber(0), 1000)
      expect(read.map(one => one.number)).toEqual(records.map(one => one.number))
      expect(read[19]).toEqual(records[19])
    })
  })
}
